// Paying on Solana with any Wallet Standard wallet. The service makes the transaction, because a relayer of its pays the
// network; this side holds it against what was agreed and has the wallet sign it, and sends nothing by itself.
import { type Acceptance, parseNetwork } from '@svc-pay/protocol';
import type { AffordableToken, ChooseToken } from '../choose-token.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import { haltIfAborted, untilAborted } from '../http/race.ts';
import type { PayerWallet, SigningCall, WalletCall } from '../wallet.ts';
import { accountIn, connectWallet } from './connect-wallet.ts';
import { discoverSolanaWallets } from './discover-solana-wallets.ts';
import { affordable, settleOnTransaction } from './settle-on-transaction.ts';
import { signTransfer } from './sign-transfer.ts';
import type { StandardWallet } from './standard-wallet.ts';

export type SolanaWalletOptions = {
  /** The wallet to use. Without it the page's own are looked for when it comes to paying. */
  readonly wallet?: StandardWallet;
  /** Which account pays, when the wallet shares several. Its first one unless told. */
  readonly account?: string;
  /** Asked when several wallets register themselves; undefined means none of them. The first one unless told. */
  readonly choose?: (
    wallets: readonly StandardWallet[],
  ) => StandardWallet | undefined | Promise<StandardWallet | undefined>;
  /** Asked when the payer can afford more than one of the tokens offered; undefined means none of them. The first one unless told. */
  readonly chooseToken?: ChooseToken;
};

/**
 * Any Wallet Standard wallet that signs Solana transactions: one that is handed in, or that registered itself. Connects
 * before the intent is made, which names the payer. Needs tokens and no SOL.
 */
export function solanaWallet(options: SolanaWalletOptions = {}): PayerWallet {
  const connected = new Map<string, StandardWallet>();
  return {
    canSign: ({ scheme, network }) => scheme === 'exact' && parseNetwork(network)?.startsWith('solana:') === true,
    intentFields: (call) =>
      typed(async () => {
        const wallet = await findWallet(options, call);
        const { address: publicKey } = await connectWallet(wallet, options.account, call);
        connected.set(publicKey, wallet);
        return { publicKey };
      }),
    authorize: (acceptances, call) =>
      typed(async () => {
        const offeredAtSeconds = call.nowSeconds();
        const wallet = connected.get(call.publicKey ?? '') ?? (await findWallet(options, call));
        // The person may have changed accounts since: then it is the new one that pays.
        const account = accountIn(wallet, call.publicKey) ?? (await connectWallet(wallet, options.account, call));
        const chosen = await chooseAcceptance(acceptances, options.chooseToken, call);
        const settled = await settleOnTransaction(
          { acceptances, chosen, payer: account.address, offeredAtSeconds },
          call,
        );
        const header = await signTransfer(wallet, account, settled, call);
        return { acceptance: settled.acceptance, header, payer: account.address };
      }),
  };
}

async function typed<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (problem) {
    throw problem instanceof SvcPayError ? problem : new SvcPayError('wallet_failed', { cause: problem });
  }
}

async function findWallet({ wallet, choose }: SolanaWalletOptions, call: WalletCall): Promise<StandardWallet> {
  if (wallet !== undefined) return wallet;
  const found = await discoverSolanaWallets({ ports: call.ports, signal: call.signal });
  haltIfAborted(call.signal);
  const several = found.length > 1 && choose !== undefined;
  const chosen = several ? await untilAborted(Promise.resolve(choose(found)), call.signal) : found[0];
  haltIfAborted(call.signal);
  if (chosen !== undefined) return chosen;
  throw several ? new SvcPayError('wallet_closed', { reason: 'choose' }) : new SvcPayError('no_wallet');
}

/** Undefined leaves it to what the service can prepare. */
async function chooseAcceptance(
  acceptances: readonly Acceptance[],
  choose: ChooseToken | undefined,
  call: SigningCall,
): Promise<Acceptance | undefined> {
  const tokens: readonly AffordableToken[] = affordable(acceptances).map((acceptance) => ({ acceptance }));
  if (choose === undefined || tokens.length < 2) return undefined;
  const chosen = await untilAborted(Promise.resolve(choose(tokens)), call.signal);
  haltIfAborted(call.signal);
  const token = tokens.find(({ acceptance }) => acceptance === chosen?.acceptance);
  if (token === undefined) throw new SvcPayError('wallet_closed', { reason: 'chooseToken' });
  return token.acceptance;
}
