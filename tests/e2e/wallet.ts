// A payer with a private key and HTTP, written from the interface only: it signs data of the 402 body and nothing else.
import { randomBytes } from 'node:crypto';
import type { Address, Hex, PrivateKeyAccount } from 'viem';
import type { World } from './start-world.ts';

export type Acceptance = {
  readonly scheme: string;
  readonly network: string;
  readonly maxAmountRequired: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds?: number;
  readonly asset?: string;
  readonly extra: {
    readonly name: string;
    readonly eip3009Version: string;
    readonly primaryType: 'Permit' | 'TransferWithAuthorization';
    readonly rpcChainId: string;
    readonly permitNonce?: string;
    /** A nonce that commits to the terms, and the message to sign with it. */
    readonly svc?: {
      readonly authorizationType: 'ReceiveWithAuthorization' | 'TransferWithAuthorization';
      readonly boundNonce: Hex;
    };
  };
};

export type PaymentRequired = {
  readonly x402Version: number;
  readonly paymentIntentId: string;
  readonly rpcChainId: string;
  readonly accepts: readonly Acceptance[];
};

export type SettleResult = {
  readonly status: string;
  readonly error?: string;
  readonly transactionId: string | null;
  readonly canisterTxId: number;
  readonly externalCostAmount: string;
  readonly paymentIntent: { readonly status: string };
  readonly payment: {
    readonly id: string;
    readonly status: string;
    readonly paidAmount: string | null;
    readonly transactionSplitId: string | null;
  } | null;
};

const EIP3009_FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const;
const PERMIT_FIELDS = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const;
const DAY_SECONDS = 86_400;
const DEFAULT_TIMEOUT_SECONDS = 300;

export type Signer = Pick<PrivateKeyAccount, 'address' | 'signTypedData'>;
/** A contract wallet has another address than the key that signs for it. */
export type Payer = { readonly address: Address; readonly signer: Signer };

export const payerOf = (signer: Signer): Payer => ({ address: signer.address, signer });

export async function createIntent(
  { apiUrl, shop }: Pick<World, 'apiUrl' | 'shop'>,
  body: Readonly<Record<string, unknown>> = { usdAmount: '1.5', tokenShortcode: 'anvil_usdc' },
): Promise<PaymentRequired> {
  const response = await post(`${apiUrl}/sdk/public/payments/intents/x402`, shop.publishableKey, body);
  if (response.status !== 402) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as PaymentRequired;
}

/** Signs a header for one acceptance, dated now. `bound`: with the nonce that it offers, as our own clients do. */
export async function signHeader(
  payer: Payer,
  acceptance: Acceptance,
  windowSeconds?: number,
  bound = false,
): Promise<string> {
  const { extra, asset, payTo } = acceptance;
  const svc = bound ? extra.svc : undefined;
  if (bound && svc === undefined) throw new Error('the acceptance offers no bound nonce');
  const authorizationType = svc?.authorizationType ?? 'TransferWithAuthorization';
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const isPermit = extra.primaryType === 'Permit';
  const authorization = {
    from: payer.address,
    to: payTo as Address,
    value: acceptance.maxAmountRequired,
    validAfter: String(nowSeconds - DAY_SECONDS),
    validBefore: String(nowSeconds + (windowSeconds ?? acceptance.maxTimeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS)),
    nonce: isPermit ? permitNonce(extra.permitNonce) : (svc?.boundNonce ?? randomNonce()),
  };
  const domain = {
    name: extra.name,
    version: extra.eip3009Version,
    chainId: Number(extra.rpcChainId),
    verifyingContract: (asset ?? payTo) as Address,
  };
  const { from, to, nonce, validAfter, validBefore } = authorization;
  const value = BigInt(authorization.value);
  const signature = isPermit
    ? await payer.signer.signTypedData({
        domain,
        types: { Permit: PERMIT_FIELDS },
        primaryType: 'Permit',
        message: { owner: from, spender: to, value, nonce: BigInt(nonce), deadline: BigInt(validBefore) },
      })
    : await payer.signer.signTypedData({
        domain,
        types: { [authorizationType]: EIP3009_FIELDS },
        primaryType: authorizationType,
        message: { from, to, value, validAfter: BigInt(validAfter), validBefore: BigInt(validBefore), nonce },
      });
  const header = {
    x402Version: 1,
    scheme: acceptance.scheme,
    network: acceptance.network,
    payload: { authorization, signature },
  };
  return Buffer.from(JSON.stringify(header)).toString('base64');
}

const permitNonce = (given = '0'): Hex => `0x${BigInt(given).toString(16).padStart(64, '0')}`;
const randomNonce = (): Hex => `0x${randomBytes(32).toString('hex')}`;

export type SettleCall = {
  readonly paymentIntentId: string;
  readonly paymentHeader: string;
  readonly paymentRequirements: Acceptance;
};

export async function settle(
  { apiUrl, shop }: Pick<World, 'apiUrl' | 'shop'>,
  call: SettleCall,
): Promise<SettleResult> {
  const response = await post(`${apiUrl}/sdk/public/payments/x402/settle`, shop.publishableKey, call);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as SettleResult;
}

/** Creates an intent and signs a header for its first acceptance; only the settle call remains. */
export async function prepare(
  world: Pick<World, 'apiUrl' | 'shop'>,
  payer: Payer,
  body?: Readonly<Record<string, unknown>>,
): Promise<SettleCall> {
  const required = await createIntent(world, body);
  const [acceptance] = required.accepts;
  if (acceptance === undefined) throw new Error('nothing is accepted');
  return {
    paymentIntentId: required.paymentIntentId,
    paymentHeader: await signHeader(payer, acceptance),
    paymentRequirements: acceptance,
  };
}

/** Longer than the longest `SVC_SETTLE_WAIT_MS` of a test. Without it a call that is never answered ends with the test alone. */
const ANSWER_MS = 90_000;

export async function post(
  url: string,
  key: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
  } catch (problem) {
    throw new Error(`POST ${url} was not answered within ${ANSWER_MS} ms, or not at all`, { cause: problem });
  }
}
