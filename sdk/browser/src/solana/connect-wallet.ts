import { bytesFromBase58 } from '@svc-pay/protocol/solana';
import { askPatiently, type PatientQuestion } from '../ask/ask-patiently.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import type { WalletCall } from '../wallet.ts';
import { paymentFeatures, type StandardAccount, type StandardWallet } from './standard-wallet.ts';

const ADDRESS_BYTES = 32;

/** Has the person let the page use the wallet, unless it may already. Throws `no_account` when there is none to pay from. */
export async function connectWallet(
  wallet: StandardWallet,
  wanted: string | undefined,
  call: WalletCall,
): Promise<StandardAccount> {
  const connect = paymentFeatures(wallet)?.connect;
  if (connect !== undefined && accountIn(wallet, wanted) === undefined) {
    await askPatiently(call, { name: 'standard:connect', refusedAs: 'connection_refused', ask: connect });
  }
  const account = accountIn(wallet, wanted);
  if (account === undefined) throw new SvcPayError('no_account');
  return account;
}

/** The wanted account, or the first one that is on Solana. */
export function accountIn({ accounts }: StandardWallet, wanted: string | undefined): StandardAccount | undefined {
  return accounts.find(
    ({ address, chains }) =>
      (wanted === undefined || address === wanted) &&
      chains.some((chain) => chain.startsWith('solana:')) &&
      bytesFromBase58(address)?.length === ADDRESS_BYTES,
  );
}

/** A wallet that takes all its accounts away was closed. */
export function closingOf(wallet: StandardWallet): Required<PatientQuestion>['whenClosed'] {
  return (close) =>
    paymentFeatures(wallet)?.listen?.('change', ({ accounts }) => {
      if (accounts?.length === 0) close();
    }) ?? (() => {});
}
