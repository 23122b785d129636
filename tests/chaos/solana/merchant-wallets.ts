// The wallets of merchants on Solana: they sign refunds as they are asked to, and send money back themselves.
import { openNode, type RelayerSigner } from '@svc-pay/solana';
import { DEVNET_USDC } from '@svc-pay/solana/local';
import { drawActors, signAsWallet, signPayment } from '@svc-pay/solana/testing';
import { waitUntil } from '../harness/wait-until.ts';
import type { RefundWallets } from '../refunds/refund-once.ts';
import type { SolanaChaosWorld } from './world.ts';

const FEE_PAYER_LAMPORTS = 10_000_000_000n;
const LANDED_MS = 15_000;
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

export async function openSolanaWallets({
  chainUrl,
  faucet,
  shops,
  history,
}: Pick<SolanaChaosWorld, 'chainUrl' | 'faucet' | 'shops' | 'history'>): Promise<RefundWallets> {
  const walletOf = (address: string) => {
    const wallet = shops.find(({ merchant }) => merchant === address)?.wallet;
    if (wallet === undefined) throw new Error(`${address} is no merchant's`);
    return wallet;
  };
  const relayer: RelayerSigner = (await drawActors()).relayer;
  await faucet.fundSol(relayer.address, FEE_PAYER_LAMPORTS);
  const node = openNode(chainUrl);
  return {
    sign: async (created) => {
      const { transaction: unsigned } = created['sign'] as { readonly transaction: string };
      const { id, from } = created['refund'] as { readonly id: string; readonly from: string };
      const transaction = await signAsWallet(Uint8Array.from(Buffer.from(unsigned, 'base64')), walletOf(from));
      // Without the relayer's signature the transaction is nothing that anybody could send.
      return { body: { transaction }, mark: id, leak: () => Promise.resolve(false) };
    },
    sendBack: async ({ payment, wallet, payer }, amountAtomic) => {
      const terms = {
        intentId: '',
        payer: wallet,
        relayer: relayer.address,
        mint: DEVNET_USDC,
        tokenProgram: TOKEN_PROGRAM,
        decimals: 6,
        legs: [{ owner: payer, amountAtomic }],
        memo: `sorry for ${payment}`,
      };
      const { transactionId, wire } = await signPayment(node, terms, { payer: walletOf(wallet), relayer });
      history.note('sent back', { payment, wallet, to: payer, transaction: transactionId });
      await waitUntil(async () => (await node.send(wire)).outcome === 'known', LANDED_MS, 200);
      return transactionId;
    },
  };
}
