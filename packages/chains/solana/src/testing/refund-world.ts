// A merchant's wallet that refunds a payer on the in-memory chain.
import { randomBytes } from 'node:crypto';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { DEVNET_USDC } from '../local/local-mint.ts';
import { refundTerms, type SolanaRefundTransfer } from '../refund/refund-terms.ts';
import { openNode, type SolanaNode } from '../rpc/solana-node.ts';
import type { TransferTerms } from '../transfer/transfer-terms.ts';
import { type Actors, drawActors } from './actors.ts';
import { type LiteChain, startLiteChain } from './lite/start-lite-chain.ts';
import { type Paying, signPayment } from './pay.ts';

export type RefundWorld = {
  readonly chain: LiteChain;
  readonly node: SolanaNode;
  readonly actors: Actors;
  /** The merchant's wallet. */
  readonly wallet: KeyPairSigner;
  /** A refund to the payer, another one each time. */
  readonly refund: (change?: Partial<SolanaRefundTransfer>) => SolanaRefundTransfer;
  /** Prepares the refund; both sign. Sends nothing. */
  readonly sign: (refund: SolanaRefundTransfer) => Promise<Paying>;
  /** Signs and sends any transfer of the merchant's wallet. */
  readonly transfer: (terms: TransferTerms, from?: KeyPairSigner) => Promise<Paying>;
};

export const REFUNDED = 400_000n;
const OWNED = 1_000_000n;

export async function createRefundWorld(): Promise<RefundWorld> {
  const chain = await startLiteChain();
  const actors = await drawActors();
  const wallet = await generateKeyPairSigner();
  chain.fundSol(actors.relayer.address, 1_000_000_000n);
  await chain.fundToken(wallet.address, OWNED);
  await chain.fundToken(actors.payer.address, 0n);
  const node = openNode(chain.rpcUrl);
  const sign = (terms: TransferTerms, payer = wallet) => signPayment(node, terms, { payer, relayer: actors.relayer });
  return {
    chain,
    node,
    actors,
    wallet,
    sign: (refund) => sign(refundTerms(refund)),
    transfer: async (terms, from) => {
      const signed = await sign(terms, from);
      chain.ledger.execute(signed.wire);
      return signed;
    },
    refund: (change) => ({
      refundId: `re_${randomBytes(13).toString('hex')}`,
      nonce: `0x${randomBytes(32).toString('hex')}`,
      wallet: wallet.address,
      recipient: actors.payer.address,
      amountAtomic: REFUNDED,
      relayer: actors.relayer.address,
      mint: DEVNET_USDC,
      tokenProgram: TOKEN_PROGRAM_ADDRESS,
      decimals: 6,
      ...change,
    }),
  };
}
