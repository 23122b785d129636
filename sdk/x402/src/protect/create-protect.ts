// From a seller's options and the terms of a route to a function that answers protected requests.
import { createSvcPay } from '@svc-pay/server';
import { systemNowMs } from '../clock.ts';
import { createFacilitator } from '../facilitator/facilitator.ts';
import type { SellerOptions } from '../facilitator/seller-options.ts';
import { problemTeller } from '../facilitator/tell-problem.ts';
import { createAnswerStore, type HandedAnswer } from './answer-store.ts';
import { readPositiveDollars } from './dollars.ts';
import { exactWay } from './exact-way.ts';
import { offerTags } from './offer-tag.ts';
import { type ProtectedCall, protectRequest } from './protect-request.ts';
import { uptoWay } from './upto-way.ts';
import type { WayToPay } from './way-to-pay.ts';

export type RouteTerms = {
  /** What the payer is told it is for. */
  readonly description?: string;
  readonly mimeType?: string;
  /** How long the payer's signature is to be good for: handler and settlement have to end within it. 300 when left out. */
  readonly maxTimeoutSeconds?: number;
} & (
  | {
      /** Such as `'$0.01'`: what every request costs. Any x402 client can pay it. */
      readonly price: string;
      readonly upTo?: undefined;
    }
  | {
      /**
       * Such as `'$1.00'`: the most that a request can cost. The handler reports with `charge` what it does cost. For clients
       * of the service's own up-to flow; the official `upto` of x402 is another scheme.
       */
      readonly upTo: string;
      readonly price?: undefined;
      /** Such as `base_usdc`; the payer chooses among the account's tokens when left out. */
      readonly tokenShortcode?: string;
    }
);

export type AnswerProtected = (call: ProtectedCall) => Promise<HandedAnswer>;

const DEFAULT_TIMEOUT_SECONDS = 300;

/** Sends nothing yet. Throws a TypeError for options that can't be right. */
export function protectionOf(options: SellerOptions): (terms: RouteTerms) => AnswerProtected {
  const { baseUrl, secretKey, accountId, fetch, pause, nowMs = systemNowMs } = options;
  const tell = problemTeller(options);
  const facilitator = createFacilitator(options);
  const svc = createSvcPay({
    baseUrl,
    secretKey,
    ...(accountId !== undefined && { accountId }),
    ...(fetch !== undefined && { fetch }),
    ...(pause !== undefined && { wait: pause }),
  });
  const tags = offerTags(secretKey);
  const store = createAnswerStore(nowMs);

  function wayOf(terms: RouteTerms): WayToPay {
    const { description, mimeType, maxTimeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = terms;
    const shared = { description, mimeType, maxTimeoutSeconds };
    if (terms.price !== undefined)
      return exactWay({ facilitator, tell }, { ...shared, priceUsd: readPositiveDollars(terms.price, 'price') });
    if (accountId === undefined)
      throw new TypeError('protect({ upTo }) needs accountId: settling a cap names the account');
    const { tokenShortcode } = terms;
    return uptoWay(
      { svc, tags, nowMs, tell },
      { ...shared, tokenShortcode, capUsd: readPositiveDollars(terms.upTo, 'upTo') },
    );
  }
  return (terms) => {
    const way = wayOf(terms);
    return (call) => protectRequest({ way, store, tell }, call);
  };
}
