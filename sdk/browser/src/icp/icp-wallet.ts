// Paying on the Internet Computer with a signer that the page supplies. What reads and writes its formats is loaded when it comes
// to paying.
import { icrc1TransferOption } from '@svc-pay/protocol';
import { SvcPayError } from '../error/svc-pay-error.ts';
import type { PayerWallet } from '../wallet.ts';
import type { IcpSigner } from './signer.ts';

export type IcpWalletOptions = {
  readonly signer: IcpSigner;
  /** Principal of the account that pays, when the signer has several. Its first one unless told. */
  readonly account?: string;
};

/** Pays by ICRC-1 transfers, in the regular flow alone. Asks nobody until something is to be paid. */
export function icpWallet({ signer, account }: IcpWalletOptions): PayerWallet {
  return {
    canSign: () => false,
    authorize: () => Promise.reject(new SvcPayError('no_usable_acceptance')),
    readRegular(came) {
      const { data } = icrc1TransferOption.safeParse(came);
      return data && { ...data, payTo: data.to.text };
    },
    async payRegularly(offered, call) {
      try {
        const { payByTransfer } = await import('./pay-by-transfer.ts');
        return await payByTransfer(offered, { signer, wanted: account }, call);
      } catch (problem) {
        throw problem instanceof SvcPayError ? problem : new SvcPayError('wallet_failed', { cause: problem });
      }
    },
  };
}
