// What the order of a protected request needs of a way to pay. There are two: exact through the facilitator routes, and
// up-to through an intent.
import type { Usd } from '@svc-pay/money';
import type { X402SettleAnswer } from '@svc-pay/protocol/x402';
import type { HttpAnswer, RequestFacts } from './answer.ts';
import type { PresentedPayment } from './presented-payment.ts';

export type WayToPay = {
  /** The 402 of this route; another answer when the service can't say what to pay. */
  readonly challenge: (facts: RequestFacts, error?: string) => Promise<HttpAnswer>;
  /** Verifies the payment and takes it for this one request. No money moves. */
  readonly take: (facts: RequestFacts, presented: PresentedPayment) => Promise<TakenPayment>;
};

export type TakenPayment =
  | {
      readonly ok: true;
      /** The most that the handler may charge; undefined where the price is fixed. */
      readonly capUsd: Usd | undefined;
      /** Safe to call again: the payer is charged once. */
      readonly settle: (chargeUsd: Usd | undefined) => Promise<SettleOutcome>;
      /** Nothing will be charged. */
      readonly release: () => Promise<void>;
    }
  /** `invalid`: certainly not taken. `in_use`: taken by another request. `unavailable`: not known. */
  | { readonly ok: false; readonly reason: 'invalid' | 'in_use' | 'unavailable'; readonly message: string };

export type SettleOutcome =
  | { readonly status: 'paid'; readonly receipt: X402SettleAnswer }
  /** Money may have moved, or will. */
  | { readonly status: 'pending'; readonly receipt: X402SettleAnswer }
  /** Certainly no money moved. */
  | { readonly status: 'failed'; readonly receipt: X402SettleAnswer }
  /** Somebody else settled this payment. */
  | { readonly status: 'in_use'; readonly receipt: X402SettleAnswer };
