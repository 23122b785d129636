import type { NetworkId } from '@svc-pay/protocol';
import { base64FromBytes, bytesFromBase64 } from '@svc-pay/protocol/solana';
import { discoverSolanaWallets, type StandardAccount, type StandardWallet } from '@svc-pay/sdk/solana';
import { short } from '../format/short.ts';
import { wasRefused } from './was-refused.ts';

type Connect = { readonly connect: () => Promise<unknown> };
type Sign = {
  readonly signTransaction: (input: {
    readonly account: StandardAccount;
    readonly transaction: Uint8Array;
    readonly chain: string;
  }) => Promise<readonly { readonly signedTransaction: Uint8Array }[]>;
};

/** The signed transaction in base64. */
export async function signOnSolana(from: string, transaction: string, network: NetworkId): Promise<string> {
  const wallets = await discoverSolanaWallets();
  if (wallets.length === 0)
    throw new Error(
      'No Solana wallet was found in this browser. Install the one that was paid, or refund by a transfer of your own.',
    );
  const bytes = bytesFromBase64(transaction);
  if (bytes === undefined) throw new Error('The transaction of the refund can’t be read.');
  for (const wallet of wallets) {
    const account = await accountOf(wallet, from);
    if (account === undefined) continue;
    const { signTransaction } = wallet.features['solana:signTransaction'] as Sign;
    const [signed] = await declinedIsSaid(signTransaction({ account, transaction: bytes, chain: network }));
    if (signed === undefined) throw new Error('The wallet answered without a signature.');
    return base64FromBytes(signed.signedTransaction);
  }
  throw new Error(`The wallets in this browser do not offer the account ${short(from)}, which was paid.`);
}

async function accountOf(wallet: StandardWallet, from: string): Promise<StandardAccount | undefined> {
  const known = () => wallet.accounts.find(({ address }) => address === from);
  const feature = wallet.features['standard:connect'] as Connect | undefined;
  if (known() === undefined && feature !== undefined) await declinedIsSaid(feature.connect());
  return known();
}

async function declinedIsSaid<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (problem) {
    if (wasRefused(problem)) throw new Error('You declined in your wallet. Nothing was sent.', { cause: problem });
    throw problem;
  }
}
