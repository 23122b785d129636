// A payer's client, written from the interface only: it knows a base URL, a publishable key and a wallet, and takes
// everything else from the answers. `npm run dev -- --check` pays with it.
import { randomBytes } from 'node:crypto';
import {
  type Acceptance,
  buildSignRequest,
  encodePaymentHeader,
  type IntentStatusResponse,
  intentStatusResponse,
  type PaymentRequired,
  paymentRequired,
  type SettleResponse,
  settleResponse,
  type TypedData,
  type UptoSettleResponse,
  uptoConfirmResponse,
  uptoSettleResponse,
} from '@svc-pay/protocol';

export type Merchant = { readonly baseUrl: string; readonly publishableKey: string };

/** Access of the merchant's server. */
export type Backend = { readonly baseUrl: string; readonly secretKey: string; readonly accountId: string };

/** Wallet as a page uses it: an address, and signatures of typed data with the owner's consent. */
export type Wallet = {
  readonly address: string;
  readonly signTypedData: (typedData: TypedData) => Promise<string>;
};

export type IntentRequest = {
  readonly usdAmount: number;
  readonly tokenShortcode: string;
  readonly x402Upto?: boolean;
  readonly metadata?: Readonly<Record<string, string>>;
};

const POLL_MS = 200;

/** Step 1 of the client flow: creates an intent, and expects 402 with acceptances. */
export async function requestIntent(merchant: Merchant, request: IntentRequest): Promise<PaymentRequired> {
  const answer = await call(merchant, 'POST', '/sdk/public/payments/intents/x402', request);
  if (answer.status !== 402) throw new Error(`no 402 but ${answer.status}: ${JSON.stringify(answer.body)}`);
  return paymentRequired.parse(answer.body);
}

/** Steps 3 and 4: signs an acceptance, and returns the header for settle. */
export async function signAcceptance(acceptance: Acceptance, wallet: Wallet, nowSeconds: number): Promise<string> {
  const nonce =
    acceptance.extra?.primaryType === 'Permit'
      ? await permitNonce(acceptance, wallet.address)
      : `0x${randomBytes(32).toString('hex')}`;
  const request = buildSignRequest({ acceptance, payer: wallet.address, nonce, nowSeconds });
  if (!request.ok) throw new Error(`this acceptance can't be signed: ${request.code}`);
  const { authorization, typedData } = request;
  const signature = await wallet.signTypedData(typedData);
  const { scheme, network } = acceptance;
  return encodePaymentHeader({ x402Version: 1, scheme, network, payload: { authorization, signature } });
}

export async function settle(
  merchant: Merchant,
  paymentIntentId: string,
  paymentHeader: string,
  paymentRequirements: Acceptance,
): Promise<SettleResponse> {
  const body = { paymentIntentId, paymentHeader, paymentRequirements };
  const answer = await call(merchant, 'POST', '/sdk/public/payments/x402/settle', body);
  const parsed = settleResponse.safeParse(answer.body);
  if (!parsed.success) throw new Error(`settle answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return parsed.data;
}

/** Payer's side of an up-to payment: no money moves yet. Throws if the cap is refused. */
export async function confirmUpto(
  merchant: Merchant,
  paymentIntentId: string,
  paymentHeader: string,
  paymentRequirements: Acceptance,
): Promise<void> {
  const body = { paymentIntentId, paymentHeader, paymentRequirements };
  const answer = await call(merchant, 'POST', '/sdk/public/payments/intents/x402/upto/confirm', body);
  const parsed = uptoConfirmResponse.safeParse(answer.body);
  if (!parsed.success || !parsed.data.ok) throw new Error(`confirm answered ${JSON.stringify(answer.body)}`);
}

/** Merchant's side of an up-to payment: the rest of the cap goes back in the same transaction. */
export async function settleUpto(
  { baseUrl, secretKey, accountId }: Backend,
  paymentIntentId: string,
  settledAmountUsd: number,
): Promise<UptoSettleResponse> {
  const headers = { authorization: `Bearer ${secretKey}`, 'x-account-id': accountId };
  const body = { paymentIntentId, settledAmountUsd };
  const answer = await send(`${baseUrl}/sdk/payments/x402/upto/settle`, 'POST', headers, body);
  const parsed = uptoSettleResponse.safeParse(answer.body);
  if (!parsed.success) throw new Error(`up-to settle answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return parsed.data;
}

/** Step 5: polls until the intent is completed, failed or canceled; throws after `patienceMs`. */
export async function waitForResult(
  merchant: Merchant,
  paymentIntentId: string,
  patienceMs: number,
): Promise<IntentStatusResponse> {
  const giveUp = AbortSignal.timeout(patienceMs);
  for (;;) {
    const { status, body } = await call(merchant, 'GET', `/sdk/public/payments/intents/${paymentIntentId}`);
    const parsed = intentStatusResponse.safeParse(body);
    if (!parsed.success)
      throw new Error(`reading intent ${paymentIntentId} answered ${status}: ${JSON.stringify(body)}`);
    const seen = parsed.data.paymentIntent.status;
    if (seen === 'completed' || seen === 'failed' || seen === 'canceled') return parsed.data;
    if (giveUp.aborted) throw new Error(`intent ${paymentIntentId} is still ${seen} after ${patienceMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** A permit uses the token's nonce of the owner: taken from the acceptance, else read from the token. */
async function permitNonce({ asset, payTo, extra }: Acceptance, owner: string): Promise<string> {
  const word = (text: string) => `0x${BigInt(text).toString(16).padStart(64, '0')}`;
  if (extra?.permitNonce !== undefined) return word(extra.permitNonce);
  if (extra?.rpcUrlPublic === undefined) throw new Error('the acceptance names no node to ask for the permit nonce');
  // Selector of `nonces(address)`.
  const data = `0x7ecebe00${owner.slice(2).toLowerCase().padStart(64, '0')}`;
  const request = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to: asset ?? payTo, data }, 'latest'] };
  const { body } = await send(extra.rpcUrlPublic, 'POST', {}, request);
  const { result } = body as { result?: string };
  if (result === undefined) throw new Error('the node does not tell the permit nonce');
  return word(result);
}

type Answer = { readonly status: number; readonly body: unknown };

function call(merchant: Merchant, method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${merchant.publishableKey}` };
  return send(`${merchant.baseUrl}${path}`, method, headers, body);
}

async function send(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  return { status: response.status, body: await response.json() };
}
