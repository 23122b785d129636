import { getBase58Decoder } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEVNET_USDC } from '../local/local-mint.ts';
import { type LocalSolana, startLocalSolana } from '../local/start-local-chain.ts';
import { prepareOnChain } from '../prepare/prepare-on-chain.ts';
import { openNode, type SolanaNode } from '../rpc/solana-node.ts';
import { createLocalRelayer } from '../signer/relayer-signer.ts';
import { drawActors } from '../testing/actors.ts';
import { createTokenAccounts } from './create-token-accounts.ts';

let chain: LocalSolana;
let node: SolanaNode;
beforeAll(async () => {
  chain = await startLocalSolana({ slotTimeMs: 50 });
  node = openNode(chain.rpcUrl);
});
afterAll(() => chain.stop());

async function newFunder(lamports: bigint): Promise<{ readonly secret: Uint8Array; readonly address: string }> {
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const { address } = await createLocalRelayer(secret);
  if (lamports > 0n) await chain.fundSol(address, lamports);
  return { secret, address };
}

test('accounts are made once: then a payment can be prepared, and a second time costs nothing', async () => {
  const { payer, merchant, platform, terms } = await drawActors();
  await chain.fundToken(payer.address, 1_000_000n);
  expect(await prepareOnChain([node], terms('pi_1'))).toEqual({ ok: false, code: 'x402_temporarily_unavailable' });
  const { secret, address } = await newFunder(1_000_000_000n);
  const wanted = { funderSecret: secret, owners: [merchant, platform, merchant], mints: [DEVNET_USDC] };
  const made = await createTokenAccounts(node, wanted);
  expect(made).toMatchObject({ ok: true, created: { length: 2 }, transactionIds: { length: 1 } });
  expect(await prepareOnChain([node], terms('pi_1'))).toMatchObject({ ok: true });
  const left = (await node.accounts([address]))[0]?.lamports;
  expect(await createTokenAccounts(node, wanted)).toEqual({ ok: true, created: [], transactionIds: [] });
  expect((await node.accounts([address]))[0]?.lamports).toBe(left);
});

test('more recipients than fit one transaction are made by several', async () => {
  const { secret } = await newFunder(1_000_000_000n);
  const owners = Array.from({ length: 10 }, () =>
    getBase58Decoder().decode(crypto.getRandomValues(new Uint8Array(32))),
  );
  const made = await createTokenAccounts(node, { funderSecret: secret, owners, mints: [DEVNET_USDC] });
  expect(made).toMatchObject({ ok: true, created: { length: 10 }, transactionIds: { length: 2 } });
});

test('who can’t pay the rent, or names no mint, is refused in words', async () => {
  const { merchant } = await drawActors();
  const { secret } = await newFunder(0n);
  const poor = await createTokenAccounts(node, { funderSecret: secret, owners: [merchant], mints: [DEVNET_USDC] });
  expect(poor).toMatchObject({ ok: false, code: 'refused' });
  const other = await createTokenAccounts(node, { funderSecret: secret, owners: [merchant], mints: [merchant] });
  expect(other).toMatchObject({ ok: false, code: 'not_a_mint' });
});
