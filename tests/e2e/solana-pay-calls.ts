// Payers on Solana whose wallets make their own transaction, which names the reference of an intent and pays what they like.
import { address, type KeyPairSigner } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { openNode, prepareTransfer, referenceOf } from '@svc-pay/solana';
import { DEVNET_USDC } from '@svc-pay/solana/local';
import { drawActors, signAsWallet } from '@svc-pay/solana/testing';
import { NODE_PATIENCE_MS, sendSigned } from '../solana/follow-solana-pay.ts';
import type { SolanaWorld } from './solana-world.ts';

export type Leg = { readonly owner: string; readonly amountAtomic: bigint };

/** The link that a wallet app scans. */
export async function linkOf(
  { apiUrl, shop }: { readonly apiUrl: string; readonly shop: { readonly publishableKey: string } },
  intentId: string,
): Promise<string> {
  const response = await fetch(`${apiUrl}/sdk/public/payments/intents/${intentId}/regular`, {
    headers: { authorization: `Bearer ${shop.publishableKey}` },
  });
  const { regular } = (await response.json()) as { regular: readonly { kind: string; link: string }[] };
  const option = regular.find(({ kind }) => kind === 'solana_pay');
  if (option === undefined) throw new Error(`no link among ${JSON.stringify(regular)}`);
  return option.link;
}

export async function referenceIn({ database }: SolanaWorld, intentId: string) {
  const { rows } = await database.pool.query<{ id: string }>('select id from svc.installation');
  return address(referenceOf(rows[0]?.id ?? '', intentId));
}

/** The transaction of another wallet program, whose fee somebody else pays. */
export async function payByReference(
  world: SolanaWorld,
  payer: KeyPairSigner,
  legs: readonly Leg[],
  { intentId, mint = DEVNET_USDC }: { readonly intentId: string; readonly mint?: string },
): Promise<string> {
  const { rpcUrl, fundSol } = world.solana;
  const { stranger } = await drawActors();
  await fundSol(stranger.address, 10_000_000n);
  const terms = {
    intentId,
    payer: payer.address,
    relayer: stranger.address,
    mint,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
    decimals: 6,
    legs,
    memo: `a memo of its own ${Math.random()}`,
    reference: await referenceIn(world, intentId),
  };
  const made = await prepareTransfer(terms, await openNode(rpcUrl, NODE_PATIENCE_MS).latestLifetime());
  if (!made.ok) throw new Error(made.code);
  const once = Buffer.from(await signAsWallet(made.prepared.wire, payer), 'base64');
  return sendSigned(rpcUrl, Buffer.from(await signAsWallet(once, stranger), 'base64'));
}
