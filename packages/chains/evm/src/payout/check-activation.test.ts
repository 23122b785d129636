import type { PayoutActivation, UsedPayout } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { recoverTypedDataAddress } from 'viem';
import { describe, expect, test } from 'vitest';
import { newKey } from '../local/role-keys.ts';
import type { JsonRpc, RpcAnswer } from '../rpc/json-rpc.ts';
import { activatePayout, TEST_INSTALLATION } from '../testing/activate-payout.ts';
import { activationToSign } from './activation-message.ts';
import { type ActivationCheckOptions, createActivationCheck } from './check-activation.ts';

const HOUR_MS = 3_600_000;
const YES: RpcAnswer = { ok: true, result: `0x1626ba7e${'0'.repeat(56)}` };
const NO: RpcAnswer = { ok: true, result: '0x' };

const { activation, wallet, approver } = await activatePayout();
const CONTRACT = `0x${'c0'.repeat(20)}`;

function world(change: Partial<ActivationCheckOptions> = {}, ...answers: (RpcAnswer | 'silent')[]) {
  const logged: [string, object][] = [];
  const state = { nowMs: Date.now(), asked: 0, answers };
  const check = createActivationCheck({
    installation: async () => TEST_INSTALLATION,
    approvers: new Set([approver.account.address.toLowerCase()]),
    delayMs: 24 * HOUR_MS,
    clock: { nowMs: () => state.nowMs },
    log: (event, details) => logged.push([event, details]),
    ...change,
  });
  const nodes = async () =>
    state.answers.map(
      (answer): JsonRpc =>
        async (calls) => {
          state.asked += 1;
          if (answer === 'silent') throw new Error('no answer');
          return calls.map(() => answer);
        },
    );
  return {
    state,
    logged,
    check: (given: PayoutActivation, used: Partial<UsedPayout> = {}) => check({ ...given, ...used }, given, nodes),
  };
}

test('what is signed is what wallets sign', async () => {
  const typed = activationToSign(activation) as unknown as Omit<
    Parameters<typeof recoverTypedDataAddress>[0],
    'signature'
  >;
  const signature = activation.walletSignature as `0x${string}`;
  const signer = await recoverTypedDataAddress({ ...typed, signature });
  expect(signer).toBe(wallet.account.address);
});

test('two good signatures of keys need no chain, and are logged once', async () => {
  const { check, state, logged } = world();
  expect(await check(activation)).toEqual({ ok: true });
  expect(await check(activation)).toEqual({ ok: true });
  expect(state.asked).toBe(0);
  expect(logged).toEqual([
    ['payout_activation_accepted', expect.objectContaining({ accountId: 'acct_1', payoutId: '1' })],
  ]);
});

test.each<[string, Partial<PayoutActivation>]>([
  ['wallet', { wallet: newKey().account.address.toLowerCase() }],
  ['token', { asset: `0x${'71'.repeat(20)}` }],
  ['account', { accountId: 'acct_2' }],
  ['mode', { mode: 'live' }],
  ['network', { network: evmNetwork(84_532) }],
  ['use', { use: 'shared' }],
  ['number', { number: 2n }],
  ['time', { signedAtSeconds: 1n }],
  ['replaced wallet', { replaces: `0x${'55'.repeat(20)}` }],
])('another %s in a row, with what was signed changed to fit, is refused', async (_, change) => {
  const { check, logged } = world({}, NO);
  expect(await check({ ...activation, ...change })).toEqual({ ok: false, code: 'activation_signature_invalid' });
  expect(logged.map(([event]) => event)).toEqual(['payout_activation_refused']);
});

test.each<[string, Partial<UsedPayout>]>([
  ['account', { accountId: 'acct_2' }],
  ['mode', { mode: 'live' }],
  ['network', { network: evmNetwork(84_532) }],
  ['token', { asset: `0x${'71'.repeat(20)}` }],
  ['wallet', { wallet: newKey().account.address }],
  ['number', { number: 2n }],
])('an activation beside a row of another %s is refused, also after it was found good', async (_, change) => {
  const { check } = world();
  expect(await check(activation)).toEqual({ ok: true });
  expect(await check(activation, change)).toEqual({ ok: false, code: 'activation_differs' });
});

test.each<[string, Partial<PayoutActivation>]>([
  ['use', { use: 'shared' }],
  ['number', { number: 2n }],
  ['signature of the wallet', { walletSignature: `0x${'11'.repeat(65)}` }],
  ['signature of the approver', { approverSignature: `0x${'11'.repeat(65)}` }],
])('another %s is refused after the true one was found good', async (_, change) => {
  const { check } = world({}, NO);
  expect(await check(activation)).toEqual({ ok: true });
  expect(await check({ ...activation, ...change })).toEqual({ ok: false, code: 'activation_signature_invalid' });
});

test('an activation of another installation is refused', async () => {
  const { check } = world({ installation: async () => '0a1b2c3d-0000-4000-8000-000000000002' });
  expect(await check(activation)).toEqual({ ok: false, code: 'activation_differs' });
});

test('a key that left the settings approves nothing any more', async () => {
  const { check } = world({ approvers: new Set() });
  expect(await check(activation)).toEqual({ ok: false, code: 'activation_unapproved' });
});

test.each<[string, Partial<PayoutActivation>]>([
  ['the wallet’s', { walletSignature: activation.approverSignature }],
  ['the approver’s', { approverSignature: activation.walletSignature }],
])('%s signature by another key is refused', async (_, change) => {
  const { check } = world({}, NO);
  expect(await check({ ...activation, ...change })).toEqual({ ok: false, code: 'activation_signature_invalid' });
});

test('an operator signs by key: a contract’s yes at the operator’s address is not asked for', async () => {
  const { check, state } = world({}, YES);
  const forged = { ...activation, approverSignature: `0x${'11'.repeat(65)}` };
  expect(await check(forged)).toEqual({ ok: false, code: 'activation_signature_invalid' });
  expect(state.asked).toBe(0);
});

test('nobody approves one wallet of theirs by another', async () => {
  const mine = await activatePayout({ number: 1n }, { approver: newKey() });
  const { activation: next } = await activatePayout(
    { number: 2n, signedAtSeconds: mine.activation.signedAtSeconds },
    { approver: mine.wallet, replaced: mine.activation },
  );
  expect(await world().check(next)).toEqual({ ok: false, code: 'activation_unapproved' });
  const pretended = { ...next, replaced: { ...mine.activation, approver: activation.approver } };
  expect(await world({}, YES).check(pretended)).toEqual({ ok: false, code: 'activation_signature_invalid' });
});

describe('a change', () => {
  test('approved by the replaced wallet counts after the delay', async () => {
    const signedAtSeconds = activation.signedAtSeconds + 1n;
    const { activation: next } = await activatePayout(
      { number: 2n, signedAtSeconds },
      { approver: wallet, replaced: activation },
    );
    const { check, state } = world();
    state.nowMs = (Number(signedAtSeconds) + 24 * 3_600) * 1_000 - 1;
    expect(await check(next)).toEqual({ ok: false, code: 'activation_not_in_effect' });
    state.nowMs += 1;
    expect(await check(next)).toEqual({ ok: true });
  });
});

describe('a contract wallet', async () => {
  const { activation: byContract } = await activatePayout({ wallet: CONTRACT }, { approver });

  test('is asked on its chain, and its yes is believed for a minute', async () => {
    const { check, state } = world({}, YES);
    expect(await check(byContract)).toEqual({ ok: true });
    state.answers = [NO];
    state.nowMs += 60_000;
    expect(await check(byContract)).toEqual({ ok: true });
    expect(state.asked).toBe(1);
    state.nowMs += 1;
    expect(await check(byContract)).toEqual({ ok: false, code: 'activation_signature_invalid' });
  });

  test.each([
    ['a wallet that says no, or is not on this chain', [NO], 'activation_signature_invalid'],
    ['two nodes against one that says yes', [YES, NO, NO], 'activation_signature_invalid'],
    ['nodes that contradict each other', [YES, NO], 'chain_unavailable'],
    ['a node that does not answer', ['silent'], 'chain_unavailable'],
    ['no node', [], 'chain_unavailable'],
  ] as const)('%s: %s', async (_, answers, code) => {
    expect(await world({}, ...answers).check(byContract)).toMatchObject({ ok: false, code });
  });

  test('two nodes that say yes are enough', async () => {
    expect(await world({}, NO, YES, YES).check(byContract)).toEqual({ ok: true });
  });
});

test('a refusal is logged once a minute', async () => {
  const { check, state, logged } = world();
  for (let time = 0; time < 5; time += 1) await check(activation, { accountId: 'acct_2' });
  expect(logged).toHaveLength(1);
  state.nowMs += 60_000;
  await check(activation, { accountId: 'acct_2' });
  expect(logged).toHaveLength(2);
});
