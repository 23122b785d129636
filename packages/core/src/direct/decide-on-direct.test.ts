import { expect, test } from 'vitest';
import { type DirectSight, decideOnDirect, needsState } from './decide-on-direct.ts';
import type { OpenDirect } from './direct-store.ts';

const row = {
  settlement: 'held',
  refused: false,
  claimed: true,
  bound: false,
  unusedAtBlock: 100n,
  refusal: null,
  heldForMerchant: false,
  hasUnappliedLog: false,
  isResultFinal: true,
  validBeforeSeconds: 500n,
} as OpenDirect;
const sight: DirectSight = {
  state: 'over',
  isExpired: true,
  readUntilSeconds: 500n,
  usedAtSeconds: 450n,
  wasReadAgain: false,
};
const REFUSED = { refused: true, claimed: false, settlement: null, paymentId: null };

test.each([
  ['an unused payment past its window', {}, {}, 'fail_expired'],
  ['in the queue, past its window', { settlement: 'queued' }, {}, 'fail_expired'],
  ['whose window is not read to its end', {}, { readUntilSeconds: 499n }, 'leave'],
  ['whose token is not read', {}, { readUntilSeconds: undefined }, 'leave'],
  ['held, unused and still valid', {}, { state: 'open', isExpired: false }, 'queue_again'],
  ['unused, past its window and not final', {}, { state: 'open' }, 'leave'],
  ['that the chain refused', { refusal: 'insufficient_funds' }, { state: 'open', isExpired: false }, 'leave'],
  ['unused, for the merchant to decide', { heldForMerchant: true }, { state: 'open', isExpired: false }, 'leave'],
  ['refused, unused and still valid', REFUSED, { state: 'open', isExpired: false }, 'leave'],
  ['in a batch', { settlement: 'batched' }, {}, 'leave'],
  ['in a mined batch', { settlement: 'mined' }, {}, 'leave'],
  ['with a log that waits', { hasUnappliedLog: true }, {}, 'leave'],
  ['for the merchant to decide', { heldForMerchant: true }, { state: 'used' }, 'leave'],
  ['used, without a log', {}, { state: 'used' }, 'read_again'],
  ['used, without a log, read again', {}, { state: 'used', wasReadAgain: true }, 'report'],
  ['used, and not read up to its use', {}, { state: 'used', readUntilSeconds: 449n }, 'leave'],
  [
    'used, read again, and not up to its use',
    {},
    { state: 'used', readUntilSeconds: 449n, wasReadAgain: true },
    'leave',
  ],
  ['used, bound, and not read up to its use', { bound: true }, { state: 'used', readUntilSeconds: 449n }, 'leave'],
  [
    'used, bound, and read up to a block of its second',
    { bound: true },
    { state: 'used', readUntilSeconds: 450n },
    'leave',
  ],
  ['used, bound, and read past its use', { bound: true }, { state: 'used' }, 'fail_used'],
  ['refused, used, bound, without a log', { ...REFUSED, bound: true }, { state: 'used' }, 'read_again'],
  ['used, without the block of its claim', { unusedAtBlock: null }, { state: 'used' }, 'report'],
  ['completed, past its window', { settlement: 'completed' }, { state: undefined }, 'close'],
  ['completed, and still valid', { settlement: 'completed' }, { state: undefined, isExpired: false }, 'leave'],
  [
    'completed by a batch that a reorg can still remove, past its window',
    { settlement: 'completed', isResultFinal: false },
    { state: undefined },
    'leave',
  ],
  ['failed, past its window', { settlement: 'failed' }, { state: undefined }, 'close'],
  ['refused, past its window', REFUSED, {}, 'close'],
  ['refused, not read to its end', REFUSED, { readUntilSeconds: 1n }, 'leave'],
  ['refused, used without a log', REFUSED, { state: 'used' }, 'read_again'],
  ['refused, used, read again', REFUSED, { state: 'used', wasReadAgain: true }, 'close'],
  ['refused, and claimed since', { ...REFUSED, claimed: true }, { state: undefined, isExpired: false }, 'close'],
  ['refused, claimed since and used', { ...REFUSED, claimed: true }, { state: 'used' }, 'close'],
  ['nothing known of it', {}, { state: undefined }, 'leave'],
] as const)('%s: %s', (_, of, by, decision) => {
  expect(decideOnDirect({ ...row, ...of }, { ...sight, ...by })).toBe(decision);
});

test('the chain is asked about what may have been used or has expired, not about every payment in the queue', () => {
  const asks = (of: Partial<OpenDirect>, isExpired: boolean) => needsState({ ...row, ...of }, isExpired);
  expect(asks({}, false)).toBe(true);
  expect(asks({ settlement: 'queued' }, false)).toBe(false);
  expect(asks({ settlement: 'queued' }, true)).toBe(true);
  expect(asks(REFUSED as Partial<OpenDirect>, false)).toBe(true);
  for (const settlement of ['batched', 'mined', 'completed', 'failed']) expect(asks({ settlement }, true)).toBe(false);
  expect(asks({ hasUnappliedLog: true }, true)).toBe(false);
});
