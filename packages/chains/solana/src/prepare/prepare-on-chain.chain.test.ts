import { address } from '@solana/kit';
import { AccountState, getTokenDecoder, getTokenEncoder } from '@solana-program/token';
import { ChainUnavailable } from '@svc-pay/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DEVNET_USDC } from '../local/local-mint.ts';
import { openNode, type SolanaNode } from '../rpc/solana-node.ts';
import { type Actors, drawActors } from '../testing/actors.ts';
import { type LiteChain, startLiteChain } from '../testing/lite/start-lite-chain.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';
import { prepareOnChain } from './prepare-on-chain.ts';

let chain: LiteChain;
let node: SolanaNode;
let actors: Actors;
beforeAll(async () => {
  chain = await startLiteChain();
  node = openNode(chain.rpcUrl);
});
afterAll(() => chain.stop());
beforeEach(async () => {
  actors = await drawActors();
  await chain.fundToken(actors.payer.address, 1_000_000n);
  await Promise.all([actors.merchant, actors.platform].map((owner) => chain.fundToken(owner, 0n)));
});

const prepare = () => prepareOnChain([node], actors.terms('pi_1'));
const accountOf = (owner: string) => tokenAccountOf(owner, DEVNET_USDC, actors.terms('').tokenProgram);

async function change(owner: string, changes: Partial<ReturnType<ReturnType<typeof getTokenDecoder>['decode']>>) {
  const at = await accountOf(owner);
  const account = chain.ledger.account(at);
  if (account === null) throw new Error('no account');
  const data = getTokenEncoder().encode({ ...getTokenDecoder().decode(account.data), ...changes });
  chain.ledger.setAccount(at, { ...account, data: Uint8Array.from(data) });
}

test('a payment that would go through is prepared with the chain’s latest blockhash', async () => {
  const made = await prepare();
  if (!made.ok) throw new Error(made.code);
  expect(made.prepared.lifetime).toEqual({
    blockhash: chain.ledger.blockhash,
    lastValidBlockHeight: chain.ledger.slotAt('processed') + 150n,
    slot: chain.ledger.slotAt('processed'),
  });
});

test('a payer with too little, or with nothing, has insufficient funds', async () => {
  await chain.fundToken(actors.payer.address, 999_999n);
  expect(await prepare()).toEqual({ ok: false, code: 'insufficient_funds' });
  const { terms } = await drawActors();
  const nobody = { ...actors.terms('pi_1'), payer: terms('').payer };
  expect(await prepareOnChain([node], nobody)).toEqual({ ok: false, code: 'insufficient_funds' });
});

test('a frozen payer is refused by the token', async () => {
  await change(actors.payer.address, { state: AccountState.Frozen });
  expect(await prepare()).toEqual({ ok: false, code: 'token_refused' });
});

test('a recipient without an account is given none by us: the payment is not offered', async () => {
  const { merchant } = await drawActors();
  const legs = [{ owner: merchant, amountAtomic: 1n }];
  const made = await prepareOnChain([node], actors.terms('pi_1', legs));
  expect(made).toEqual({ ok: false, code: 'x402_temporarily_unavailable' });
});

test('a recipient’s account that is frozen, or another’s by now, is not paid into', async () => {
  await change(actors.merchant, { owner: address(actors.stranger.address) });
  expect(await prepare()).toEqual({ ok: false, code: 'x402_temporarily_unavailable' });
  await change(actors.merchant, { owner: address(actors.merchant), state: AccountState.Frozen });
  expect(await prepare()).toEqual({ ok: false, code: 'x402_temporarily_unavailable' });
});

test('a token with other decimals, or that is none, is not offered', async () => {
  const terms = { ...actors.terms('pi_1'), decimals: 9 };
  expect(await prepareOnChain([node], terms)).toEqual({ ok: false, code: 'x402_not_available_for_token' });
});

test('the next node is asked when one does not answer, and nobody is guessed at when none does', async () => {
  const dead = await chain.openNode();
  dead.faults.dead = true;
  const deadNode = openNode(dead.rpcUrl);
  expect(await prepareOnChain([deadNode, node], actors.terms('pi_1'))).toMatchObject({ ok: true });
  await expect(prepareOnChain([deadNode], actors.terms('pi_1'))).rejects.toBeInstanceOf(ChainUnavailable);
});

test.each(['', 'nobody', '0xdeadbeef', '1'.repeat(44)])(
  'a payer called %j is refused, and nothing throws',
  async (payer) => {
    const made = await prepareOnChain([node], { ...actors.terms('pi_1'), payer });
    expect(made).toEqual({ ok: false, code: 'payer_invalid' });
  },
);
