import { evmNetwork } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import { sampleActivation } from '../testing/sample-activation.ts';
import { someAddress } from '../testing/settled-payment.ts';
import { MAX_REPLACED, type PayoutActivation } from './activation.ts';
import { judgeActivation, type UsedPayout } from './judge-activation.ts';

const HOUR_MS = 3_600_000;
const first = sampleActivation();
const rules = { installation: first.installation, approvers: new Set([first.approver]), delayMs: 24 * HOUR_MS };
const usedOf = (activation: PayoutActivation, change: Partial<UsedPayout> = {}): UsedPayout => ({
  accountId: activation.accountId,
  mode: activation.mode,
  network: activation.network,
  asset: activation.asset,
  wallet: activation.wallet,
  number: activation.number,
  ...change,
});
const judge = (activation: PayoutActivation, change: Partial<UsedPayout> = {}) =>
  judgeActivation(usedOf(activation, change), activation, rules);

/** The next wallet, approved by the one that it replaces. */
function replacing(replaced: PayoutActivation, change: Partial<PayoutActivation> = {}): PayoutActivation {
  return sampleActivation({
    wallet: someAddress(Number(replaced.number) + 0x10),
    number: replaced.number + 1n,
    replaces: replaced.wallet,
    approver: replaced.wallet,
    signedAtSeconds: replaced.signedAtSeconds + 10n,
    replaced,
    ...change,
  });
}

test('an operator’s approval needs the wallet’s signature and the operator’s key', () => {
  expect(judge(first)).toMatchObject({
    ok: true,
    signatures: [
      { signer: first.wallet, signature: first.walletSignature, keyOnly: false },
      { signer: first.approver, signature: first.approverSignature, keyOnly: true },
    ],
  });
});

test.each<[string, Partial<UsedPayout>]>([
  ['another account', { accountId: 'acct_2' }],
  ['the other mode', { mode: 'live' }],
  ['another network', { network: evmNetwork(8_453) }],
  ['another token', { asset: someAddress(0x71) }],
  ['another recipient', { wallet: someAddress(0x67) }],
  ['another number', { number: 2n }],
])('an activation is good for nothing of %s', (_, change) => {
  expect(judge(first, change)).toEqual({ ok: false, code: 'activation_differs' });
});

test('the letter case of an address in a row does not count', () => {
  const upper = (text: string) => text.toUpperCase().replace('0X', '0x');
  expect(judge(first, { asset: upper(first.asset), wallet: upper(first.wallet) })).toMatchObject({ ok: true });
});

test('one that can’t be read is refused', () => {
  expect(judgeActivation(usedOf(first), undefined, rules)).toEqual({ ok: false, code: 'activation_unreadable' });
});

test('an activation of another installation is refused', () => {
  const other = sampleActivation({ installation: '0a1b2c3d-0000-4000-8000-000000000002' });
  expect(judge(other)).toEqual({ ok: false, code: 'activation_differs' });
});

describe('the replaced wallet approves', () => {
  test('if an operator approved it before: four signatures are needed', () => {
    const judged = judge(replacing(first));
    expect(judged.ok && judged.signatures.map(({ signer, keyOnly }) => [signer, keyOnly])).toEqual([
      [someAddress(0x11), false],
      [first.wallet, false],
      [first.wallet, false],
      [first.approver, true],
    ]);
  });

  const unapproved = { ok: false, code: 'activation_unapproved' };
  const stranger = sampleActivation({ approver: someAddress(0x98) });
  test.each<[string, PayoutActivation]>([
    ['nobody whom the settings name', stranger],
    ['a wallet that nobody approved', replacing(stranger)],
    [
      'a wallet without its own activation',
      sampleActivation({ replaces: first.wallet, approver: first.wallet, number: 2n }),
    ],
    ['another wallet than the replaced one', replacing(first, { approver: someAddress(0x44) })],
    ['a wallet of another account', replacing(sampleActivation({ accountId: 'acct_2' }))],
    ['a wallet of the other mode', replacing(sampleActivation({ mode: 'live' }))],
    ['a wallet of another network', replacing(sampleActivation({ network: evmNetwork(8_453) }))],
    ['a wallet of another token', replacing(sampleActivation({ asset: someAddress(0x71) }))],
    [
      'a wallet of another installation',
      replacing(sampleActivation({ installation: '0a1b2c3d-0000-4000-8000-000000000002' })),
    ],
    ['a wallet that has the same number', replacing(first, { number: 1n })],
    ['a wallet that came later', replacing(first, { signedAtSeconds: first.signedAtSeconds - 1n })],
  ])('not by %s', (_, activation) => {
    expect(judge(activation)).toEqual(unapproved);
  });

  test('only so often in a row', () => {
    let activation = first;
    for (let step = 0; step < MAX_REPLACED; step += 1) activation = replacing(activation);
    expect(judge(activation)).toMatchObject({ ok: true });
    expect(judge(replacing(activation))).toEqual({ ok: false, code: 'activation_needs_operator' });
  });
});

test.each<[string, Partial<PayoutActivation>, number]>([
  ['a first wallet at once', {}, 0],
  ['the same wallet again at once', { replaces: first.wallet }, 0],
  ['another wallet after the delay', { replaces: someAddress(0x55) }, 24],
])('%s', (_, change, hours) => {
  const judged = judge(sampleActivation(change));
  expect(judged.ok && judged.inEffectFromMs).toBe(1_700_000_000_000 + hours * HOUR_MS);
});
