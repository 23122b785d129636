import { expect, test } from 'vitest';
import { sampleActivation } from '../testing/sample-activation.ts';
import { MAX_REPLACED, type PayoutActivation } from './activation.ts';
import { readActivation, storedActivation } from './read-activation.ts';

const stored = (activation: PayoutActivation) => JSON.parse(JSON.stringify(storedActivation(activation))) as object;

test('what is stored is read as it was', () => {
  const first = sampleActivation();
  const second = sampleActivation({ number: 2n, replaces: first.wallet, approver: first.wallet, replaced: first });
  for (const activation of [first, second, sampleActivation({ use: 'shared', number: 2n ** 63n - 1n })])
    expect(readActivation(stored(activation))).toEqual(activation);
});

const good = stored(sampleActivation());
const UPPER = `0x${'AB'.repeat(20)}`;
test.each<[string, unknown]>([
  ['nothing', null],
  ['text', JSON.stringify(good)],
  ['a list', [good]],
  ['a missing field', { ...good, use: undefined }],
  ['an unknown field', { ...good, approvedBy: 'me' }],
  ['a use that is none', { ...good, use: 'any' }],
  ['a mode that is none', { ...good, mode: 'sandbox' }],
  ['a network by another name', { ...good, network: '84532' }],
  ['a number as a JSON number', { ...good, number: 1 }],
  ['a number with leading zeros', { ...good, number: '01' }],
  ['a number below zero', { ...good, number: '-1' }],
  ['a number that no column holds', { ...good, number: (2n ** 63n).toString() }],
  ['a time that is none', { ...good, signedAtSeconds: '1e9' }],
  ['upper case in the wallet', { ...good, wallet: UPPER }],
  ['upper case in the approver', { ...good, approver: UPPER }],
  ['a short address', { ...good, asset: '0x70' }],
  ['the zero address', { ...good, replaces: `0x${'0'.repeat(40)}` }],
  ['a signature that is none', { ...good, walletSignature: '0x' }],
  ['a signature of half a byte', { ...good, approverSignature: '0x123' }],
  ['a signature without end', { ...good, walletSignature: `0x${'11'.repeat(4_097)}` }],
  ['a replaced one that is none', { ...good, replaced: {} }],
  ['a replaced one that is nothing', { ...good, replaced: null }],
  ['an account that is none', { ...good, accountId: "a' or 1" }],
  ['an installation that is none', { ...good, installation: 'mine' }],
])('%s is no activation', (_, value) => {
  expect(readActivation(value)).toBeUndefined();
});

test('a chain of replaced wallets has an end', () => {
  let nested: object = good;
  for (let depth = 0; depth < MAX_REPLACED; depth += 1) nested = { ...good, replaced: nested };
  expect(readActivation(nested)).toBeDefined();
  expect(readActivation({ ...good, replaced: nested })).toBeUndefined();
});
