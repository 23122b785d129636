import { expect, test } from 'vitest';
import { decideRelayerChange, type RelayerChangeFacts } from './decide-relayer-change.ts';

const decide = (
  before: RelayerChangeFacts['before'],
  wanted: RelayerChangeFacts['wanted'],
  open: Partial<RelayerChangeFacts> = {},
) => decideRelayerChange({ before, wanted, unfinishedBatches: 0, boundPayments: 0, signable: 0, ...open });

test('a relayer drains, retires, and becomes active again from either', () => {
  const steps = [
    ['active', 'draining'],
    ['draining', 'retired'],
    ['draining', 'active'],
    ['retired', 'active'],
    ['retired', 'draining'],
  ] as const;
  for (const [before, wanted] of steps) expect(decide(before, wanted)).toEqual({ ok: true, before, changed: true });
});

test('the status that it has already is no change', () => {
  for (const status of ['active', 'draining', 'retired'] as const)
    expect(decide(status, status, { unfinishedBatches: 3 })).toEqual({ ok: true, before: status, changed: false });
});

test('an active relayer does not retire, and an unknown one does not change', () => {
  expect(decide('active', 'retired')).toEqual({ ok: false, code: 'relayer_not_draining' });
  expect(decide(undefined, 'active')).toEqual({ ok: false, code: 'relayer_unknown' });
});

test('a relayer does not retire while a batch of it is not final, or a payment that is queued or may be signed needs its key', () => {
  const refused = (unfinished: number) => ({ ok: false, code: 'relayer_has_unfinished', unfinished });
  expect(decide('draining', 'retired', { unfinishedBatches: 2 })).toEqual(refused(2));
  expect(decide('draining', 'retired', { boundPayments: 1 })).toEqual(refused(1));
  expect(decide('draining', 'retired', { signable: 3 })).toEqual(refused(3));
  expect(decide('draining', 'active', { unfinishedBatches: 2, boundPayments: 1 })).toMatchObject({ ok: true });
});
