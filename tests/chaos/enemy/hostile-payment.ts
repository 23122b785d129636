// The two requests of a payment, as attackers make them.
import type { Acceptance } from '../../e2e/wallet.ts';
import { bodyOf } from './api-client.ts';
import type { Ask, Blow, PublicShop } from './attacker.ts';
import type { SignedPayment } from './sign-payment.ts';

export type HostileIntent = { readonly intentId: string; readonly acceptance: Acceptance };

export const CREATE = '/sdk/public/payments/intents/x402';
export const SETTLE = '/sdk/public/payments/x402/settle';
export const TOKEN = 'anvil_usdc';

/** Undefined when nothing is offered. */
export async function openIntent(
  { ask }: { readonly ask: Ask },
  shop: PublicShop,
  body: Readonly<Record<string, unknown>>,
): Promise<HostileIntent | undefined> {
  const answer = await ask({ path: CREATE, key: shop.publishableKey, body: { tokenShortcode: TOKEN, ...body } });
  if (answer?.http !== 402) return undefined;
  const { paymentIntentId, accepts } = bodyOf(answer) as { paymentIntentId: string; accepts: readonly Acceptance[] };
  const [acceptance] = accepts;
  return acceptance && { intentId: paymentIntentId, acceptance };
}

export async function settleHostile(
  { ask, note }: Pick<Blow, 'ask' | 'note'>,
  shop: PublicShop,
  intent: HostileIntent,
  { header, nonce }: SignedPayment,
): Promise<void> {
  const body = callOf(intent, header);
  const answer = await ask({ path: SETTLE, key: shop.publishableKey, body });
  note({ intentId: intent.intentId, nonce, answer });
}

export const callOf = ({ intentId, acceptance }: HostileIntent, header: string) => ({
  paymentIntentId: intentId,
  paymentHeader: header,
  paymentRequirements: acceptance,
});
