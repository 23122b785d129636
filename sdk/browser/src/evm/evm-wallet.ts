// Paying on EVM chains with any EIP-1193 wallet.
import type { Acceptance } from '@svc-pay/protocol';
import type { ChooseToken } from '../choose-token.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import { haltIfAborted } from '../http/race.ts';
import type { PayerWallet, WalletCall } from '../wallet.ts';
import { askWallet } from './ask-wallet.ts';
import { chooseAcceptance } from './choose-acceptance.ts';
import { type AnnouncedWallet, discoverWallets, injectedProvider } from './discover-wallets.ts';
import type { Eip1193Provider } from './eip1193.ts';
import { payByTransaction, type ReadyPayer, watchForRevert } from './pay-by-transaction.ts';
import { askToken, chainIdOfAcceptance } from './read-token.ts';
import { signAcceptance } from './sign-acceptance.ts';
import { readChainId, switchNetwork } from './switch-network.ts';

export type EvmWalletOptions = {
  /** The wallet to use. Without it the page's own are looked for when it comes to signing. */
  readonly provider?: Eip1193Provider;
  /** Which account pays, when the wallet shares several. Its first one unless told. */
  readonly account?: string;
  /** Asked when several wallets announce themselves; undefined means none of them. The first one unless told. */
  readonly choose?: (
    wallets: readonly AnnouncedWallet[],
  ) => AnnouncedWallet | undefined | Promise<AnnouncedWallet | undefined>;
  /**
   * Asked when the payer can afford more than one of the tokens offered; undefined means none of them. Unless told, the
   * first one on the wallet's own chain, else the first.
   */
  readonly chooseToken?: ChooseToken;
};

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Any EIP-1193 wallet: one that is handed in, announced (EIP-6963) or injected. Asks nobody until something is to be signed. */
export function evmWallet(options: EvmWalletOptions = {}): PayerWallet {
  return {
    canSign: (acceptance) => chainIdOfAcceptance(acceptance) !== undefined,
    authorize(acceptances, call) {
      const sign = async () => {
        const { provider, payer, settleOnOne } = await ready(options, call);
        const { acceptance, chainId } = await settleOnOne(acceptances);
        const header = await signAcceptance(provider, acceptance, { payer, chainId }, call);
        return { acceptance, header, payer };
      };
      return sign().catch(asWalletFailed);
    },
    async hasReverted(transactionId, call) {
      const provider = await findQuietly(options, call).catch(() => undefined);
      return provider !== undefined && watchForRevert(provider, transactionId, call);
    },
    payRegularly: (offered, call) => payByTransaction(offered, () => ready(options, call), call).catch(asWalletFailed),
  };
}

/** Of a wallet's own error; whatever may have sent money throws its own. */
function asWalletFailed(problem: unknown): never {
  throw problem instanceof SvcPayError ? problem : new SvcPayError('wallet_failed', { cause: problem });
}

async function ready(options: EvmWalletOptions, call: WalletCall): Promise<ReadyPayer> {
  const provider = await findProvider(options, call);
  const payer = await connect(provider, options.account, call);
  const holder = { payer, choose: options.chooseToken };
  return { provider, payer, settleOnOne: (acceptances) => settleOnOne(provider, acceptances, holder, call) };
}

/**
 * Chooses and goes to its chain. A balance that could not be read from afar is read again there; if it is short after all,
 * the choice is made again without it.
 */
async function settleOnOne(
  provider: Eip1193Provider,
  acceptances: readonly Acceptance[],
  { payer, choose }: { readonly payer: string; readonly choose: ChooseToken | undefined },
  call: WalletCall,
): Promise<{ readonly acceptance: Acceptance; readonly chainId: number }> {
  let walletChainId = await readChainId(provider, call);
  let left = acceptances;
  for (;;) {
    const holder = { provider, walletChainId, owner: payer };
    const { acceptance, isAffordable, others } = await chooseAcceptance(left, holder, call, choose);
    const chainId = chainIdOfAcceptance(acceptance);
    if (chainId === undefined) throw new SvcPayError('no_usable_acceptance');
    await switchNetwork(provider, { chainId, rpcUrlPublic: acceptance.extra?.rpcUrlPublic }, call);
    walletChainId = chainId;
    if (isAffordable) return { acceptance, chainId };
    const held = await askToken('balanceOf', { provider, walletChainId, acceptance, owner: payer }, call);
    if (held === undefined || held >= BigInt(acceptance.maxAmountRequired)) return { acceptance, chainId };
    left = others;
  }
}

async function findProvider({ provider, choose }: EvmWalletOptions, call: WalletCall): Promise<Eip1193Provider> {
  if (provider !== undefined) return provider;
  const announced = await discoverWallets({ ports: call.ports, signal: call.signal });
  haltIfAborted(call.signal);
  const chosen = announced.length > 1 && choose !== undefined ? await choose(announced) : announced[0];
  if (announced.length > 1 && chosen === undefined) throw new SvcPayError('wallet_closed', { reason: 'choose' });
  const found = chosen?.provider ?? injectedProvider();
  if (found === undefined) throw new SvcPayError('no_wallet');
  return found;
}

/** Undefined where somebody would have to choose. */
async function findQuietly({ provider }: EvmWalletOptions, call: WalletCall): Promise<Eip1193Provider | undefined> {
  if (provider !== undefined) return provider;
  const announced = await discoverWallets({ ports: call.ports, signal: call.signal });
  return announced.length > 1 ? undefined : (announced[0]?.provider ?? injectedProvider());
}

async function connect(provider: Eip1193Provider, wanted: string | undefined, call: WalletCall): Promise<string> {
  const told = await askWallet(provider, call, { method: 'eth_requestAccounts', refusedAs: 'connection_refused' });
  const accounts = Array.isArray(told) ? told.filter((one) => typeof one === 'string' && ADDRESS.test(one)) : [];
  const payer: unknown = accounts.find((one) => wanted === undefined || one.toLowerCase() === wanted.toLowerCase());
  if (typeof payer !== 'string') throw new SvcPayError('no_account');
  return payer;
}
