// One payment over HTTP: an intent of one account, and the settle call for one header. Both honest and hostile clients use
// it; they differ in the header and in whether they ask again.
import type { Shop } from '../../e2e/open-shop.ts';
import type { Acceptance } from '../../e2e/wallet.ts';
import { askOneOf, type Told } from '../settlement/ask-api.ts';
import { PRICE } from './burner-world.ts';

export type OpenIntent = { readonly intentId: string; readonly acceptance: Acceptance };
type Refusal = { readonly status: 'failed' | 'refused'; readonly code: string; readonly retryable: boolean };
/** How a payment ended for its client: `unknown` when nobody answered, or when it stopped asking. */
export type PaymentAnswer = { readonly status: 'succeeded' | 'processing' | 'unknown' } | Refusal;

const CREATE = '/sdk/public/payments/intents/x402';
const SETTLE = '/sdk/public/payments/x402/settle';
const BODY = { usdAmount: PRICE.usd, tokenShortcode: 'anvil_usdc' };

export async function createIntent(apiUrl: string, shop: Shop): Promise<OpenIntent | PaymentAnswer> {
  const told = await ask(apiUrl, CREATE, shop, BODY);
  if (told === undefined) return { status: 'unknown' };
  if (told.http !== 402) return refusal('refused', told);
  const [acceptance] = told.body['accepts'] as readonly Acceptance[];
  if (acceptance === undefined) throw new Error('an intent accepts nothing');
  return { intentId: String(told.body['paymentIntentId']), acceptance };
}

export async function settleIntent(
  apiUrl: string,
  shop: Shop,
  { intentId, acceptance }: OpenIntent,
  header: string,
): Promise<PaymentAnswer> {
  const body = { paymentIntentId: intentId, paymentHeader: header, paymentRequirements: acceptance };
  const told = await ask(apiUrl, SETTLE, shop, body);
  if (told === undefined) return { status: 'unknown' };
  if (told.http !== 200) return refusal('refused', told);
  const status = told.body['status'];
  return status === 'succeeded' || status === 'processing' ? { status } : refusal('failed', told);
}

export function nonceOf(header: string): string {
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    payload: { authorization: { nonce: string } };
  };
  return payload.authorization.nonce;
}

const ask = (apiUrl: string, path: string, { publishableKey: key }: Shop, body: object) =>
  askOneOf([apiUrl], 0, { path, key, body }, () => {});

function refusal(status: Refusal['status'], { http, body }: Told): Refusal {
  const { error, retryable } = body;
  return { status, code: typeof error === 'string' ? error : `http_${http}`, retryable: retryable === true };
}
