// Both sides of an up-to payment over HTTP: the payer confirms a cap, the merchant's backend settles or releases it.
import type { Shop } from './open-shop.ts';
import type { World } from './start-world.ts';
import { type Acceptance, createIntent, type Payer, post, type SettleCall, signHeader } from './wallet.ts';

export type Answered = { readonly httpStatus: number; readonly body: UptoBody };

type UptoBody = {
  readonly ok?: boolean;
  readonly status?: string;
  readonly error?: string;
  readonly alreadyConfirmed?: boolean;
  readonly intentStatus?: string;
  readonly expiresAt?: string;
  readonly moneyMoved?: string;
  readonly settledAmount?: string;
  readonly capAmount?: string;
  readonly refundAmount?: string;
  readonly platformFeeAmount?: string;
  readonly transactionId?: string | null;
  readonly paymentIntent?: { readonly status: string; readonly metadata: Readonly<Record<string, unknown>> };
  readonly payment?: Readonly<Record<string, unknown>> | null;
};

type Door = Pick<World, 'apiUrl'> & { readonly shop: Shop };

/** Creates an up-to intent and a header signed for its cap. */
export async function prepareUpto(
  door: Door,
  payer: Payer,
  { capAtomic = 5_000_000n, windowSeconds }: { readonly capAtomic?: bigint; readonly windowSeconds?: number } = {},
): Promise<SettleCall> {
  const body = { amount: capAtomic.toString(), tokenShortcode: 'anvil_usdc', x402Upto: true };
  const required = await createIntent(door, body);
  const acceptance = required.accepts[0] as Acceptance;
  return {
    paymentIntentId: required.paymentIntentId,
    paymentHeader: await signHeader(payer, acceptance, windowSeconds),
    paymentRequirements: acceptance,
  };
}

export async function confirm({ apiUrl, shop }: Door, call: SettleCall): Promise<Answered> {
  const url = `${apiUrl}/sdk/public/payments/intents/x402/upto/confirm`;
  return answered(await post(url, shop.publishableKey, call));
}

export async function settleUpto(
  { apiUrl, shop }: Door,
  body: Readonly<Record<string, unknown>>,
  { key = shop.secretKey, headers = { 'x-account-id': shop.accountId } }: Presented = {},
): Promise<Answered> {
  return answered(await post(`${apiUrl}/sdk/payments/x402/upto/settle`, key, body, headers));
}

export async function release({ apiUrl, shop }: Door, paymentIntentId: string): Promise<Answered> {
  return answered(await post(`${apiUrl}/sdk/payments/x402/upto/release`, shop.secretKey, { paymentIntentId }));
}

type Presented = { readonly key?: string; readonly headers?: Readonly<Record<string, string>> };

async function answered(response: Response): Promise<Answered> {
  return { httpStatus: response.status, body: (await response.json()) as UptoBody };
}
