import { HEADER_X402_VERSION, type PaymentHeader, parseNetwork, paymentHeader } from '@svc-pay/protocol';
import { base64FromBytes, MAX_TRANSACTION_BYTES } from '@svc-pay/protocol/solana';
import { askPatiently } from '../ask/ask-patiently.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import type { SigningCall } from '../wallet.ts';
import { closingOf } from './connect-wallet.ts';
import type { SettledOn } from './settle-on-transaction.ts';
import { paymentFeatures, type StandardAccount, type StandardWallet } from './standard-wallet.ts';

/** Has the wallet sign a transaction that was checked; the wallet never sends it, because the relayer has to sign too. */
export async function signTransfer(
  wallet: StandardWallet,
  account: StandardAccount,
  { acceptance, wire }: SettledOn,
  call: SigningCall,
): Promise<PaymentHeader> {
  const features = paymentFeatures(wallet);
  const chain = parseNetwork(acceptance.network);
  if (features === undefined || chain === undefined) throw new SvcPayError('no_usable_acceptance');
  if (!account.chains.includes(chain)) throw new SvcPayError('wrong_network', { reason: chain });
  const told = await askPatiently(call, {
    name: 'solana:signTransaction',
    refusedAs: 'signature_refused',
    ask: () => features.sign({ account, transaction: wire, chain }),
    whenClosed: closingOf(wallet),
  });
  const signed: unknown = Array.isArray(told) ? told[0]?.signedTransaction : undefined;
  if (!(signed instanceof Uint8Array) || signed.length > MAX_TRANSACTION_BYTES)
    throw new SvcPayError('wallet_failed', { reason: 'signedTransaction' });
  const header = paymentHeader.safeParse({
    x402Version: HEADER_X402_VERSION,
    scheme: acceptance.scheme,
    network: acceptance.network,
    payload: { transaction: base64FromBytes(signed) },
  });
  if (!header.success) throw new SvcPayError('wallet_failed', { reason: 'signedTransaction' });
  return header.data;
}
