// Wallet that follows the client flow, with options to deviate from it.
import {
  type Acceptance,
  type Authorization,
  buildSignRequest,
  type EvmPaymentHeader,
  encodePaymentHeader,
} from '@svc-pay/protocol';
import { type Hex, toHex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

export const newPayer = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey());
export const newNonce = (): Hex => toHex(crypto.getRandomValues(new Uint8Array(32)));

export type HeaderChange = {
  /** Claims another payer than the signer. */
  readonly from?: Hex;
  readonly nonce?: Hex;
  /** Changes to the authorization, included in the signature. */
  readonly authorization?: Partial<Authorization>;
  /** Changes to the header, made after signing. */
  readonly header?: Partial<EvmPaymentHeader>;
  readonly signature?: Hex;
  /** Signs the same message under another name. */
  readonly primaryType?: 'ReceiveWithAuthorization';
};

export async function signHeader(
  payer: PrivateKeyAccount,
  acceptance: Acceptance,
  change: HeaderChange = {},
): Promise<string> {
  const { from = payer.address, nonce = newNonce(), authorization = {}, header = {}, signature } = change;
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const request = buildSignRequest({ acceptance, payer: from, nonce, nowSeconds });
  if (!request.ok) throw new Error(request.code);
  const { types: known, primaryType: usual, domain, message } = request.typedData;
  const primaryType = change.primaryType ?? usual;
  const types = { ...known, [primaryType]: known[usual] };
  const signed = { ...request.authorization, ...authorization };
  const said: Readonly<Record<string, unknown>> =
    primaryType === 'Permit' ? { ...message, deadline: signed.validBefore } : { ...message, ...authorization };
  const typedData = { types, primaryType, domain, message: said } as never;
  return encodePaymentHeader({
    x402Version: 1,
    scheme: acceptance.scheme,
    network: acceptance.network,
    payload: { authorization: signed, signature: signature ?? (await payer.signTypedData(typedData)) },
    ...header,
  });
}
