// A version 2 payment as stock clients build it, made by hand so that a test can repeat it, move it or break it.
import { randomBytes } from 'node:crypto';
import type { Hex } from '@svc-pay/protocol';
import type { Signer } from '../e2e/wallet.ts';

type StockRequirements = {
  readonly scheme: string;
  readonly network: string;
  readonly amount: string;
  readonly asset: Hex;
  readonly payTo: Hex;
  readonly maxTimeoutSeconds: number;
  readonly extra: { readonly name: string; readonly version: string };
};

export type StockPayment = {
  readonly x402Version: 2;
  readonly accepted: StockRequirements;
  readonly resource: { readonly url: string };
  readonly payload: {
    readonly signature: Hex;
    readonly authorization: Readonly<Record<'value' | 'validAfter' | 'validBefore', string>> & {
      readonly from: Hex;
      readonly to: Hex;
      readonly nonce: Hex;
    };
  };
};

const FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const;

/** What a seller asks for at an address. */
export async function requirementsAt(url: string): Promise<Pick<StockPayment, 'accepted' | 'resource'>> {
  const response = await fetch(url);
  const required = response.headers.get('payment-required');
  if (response.status !== 402 || required === null) throw new Error(`${url} answers ${response.status}`);
  const { accepts, resource } = JSON.parse(Buffer.from(required, 'base64').toString()) as {
    readonly accepts: readonly StockRequirements[];
    readonly resource: StockPayment['resource'];
  };
  const [accepted] = accepts;
  if (accepted === undefined) throw new Error(`${url} accepts nothing`);
  return { accepted, resource };
}

export async function signPayment(
  signer: Signer,
  { accepted, resource }: Pick<StockPayment, 'accepted' | 'resource'>,
  from: Hex = signer.address,
): Promise<StockPayment> {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const authorization = {
    from,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(nowSeconds - 600),
    validBefore: String(nowSeconds + accepted.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  } as const;
  const { value, validAfter, validBefore } = authorization;
  const { name, version } = accepted.extra;
  const signature = await signer.signTypedData({
    domain: {
      name,
      version,
      chainId: Number.parseInt(accepted.network.slice(7), 10),
      verifyingContract: accepted.asset,
    },
    types: { TransferWithAuthorization: FIELDS },
    primaryType: 'TransferWithAuthorization',
    message: {
      ...authorization,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    },
  });
  return { x402Version: 2, accepted, resource, payload: { signature, authorization } };
}

export const headerOf = (payment: object): string => Buffer.from(JSON.stringify(payment)).toString('base64');

export type StockAnswer = {
  readonly status: number;
  readonly cacheControl: string | null;
  /** `PAYMENT-RESPONSE`. */
  readonly settled: Readonly<Record<string, unknown>> | undefined;
  readonly body: Readonly<Record<string, unknown>>;
};

export async function buyWith(url: string, payment: object): Promise<StockAnswer> {
  const response = await fetch(url, { headers: { 'PAYMENT-SIGNATURE': headerOf(payment) } });
  const told = response.headers.get('payment-response');
  return {
    status: response.status,
    cacheControl: response.headers.get('cache-control'),
    settled:
      told === null ? undefined : (JSON.parse(Buffer.from(told, 'base64').toString()) as Record<string, unknown>),
    body: (await response.json()) as Record<string, unknown>,
  };
}

export type FacilitatorAnswer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

/** What a stock seller posts to its facilitator. */
export async function askFacilitator(
  { url, secretKey }: { readonly url: string; readonly secretKey: string },
  step: 'verify' | 'settle',
  payment: StockPayment,
  signal?: AbortSignal,
): Promise<FacilitatorAnswer> {
  const response = await fetch(`${url}/${step}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secretKey}` },
    body: JSON.stringify({ x402Version: 2, paymentPayload: payment, paymentRequirements: payment.accepted }),
    ...(signal && { signal }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
