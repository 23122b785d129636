// The service as a merchant's backend uses it. Calls answer values: `{ ok: true, … }`, or a `CallFailure` with a code, a
// sentence, and whether to repeat.
import { connect, type SvcPayOptions } from './call/connection.ts';
import { type Endpoints, endpointsOf } from './endpoints/endpoints.ts';
import { type Events, eventsOf } from './events/events.ts';
import { type Exports, exportsOf } from './exports/exports.ts';
import { type Intents, intentsOf } from './intents/intents.ts';
import { overviewOf, type ReadOverview } from './overview/overview.ts';
import { type Payments, paymentsOf } from './payments/payments.ts';
import { type Refunds, refundsOf } from './refunds/refunds.ts';
import { type Tokens, tokensOf } from './tokens/tokens.ts';
import { type Upto, uptoOf } from './upto/upto.ts';

export type SvcPay = {
  readonly intents: Intents;
  readonly payments: Payments;
  readonly refunds: Refunds;
  readonly tokens: Tokens;
  readonly upto: Upto;
  readonly events: Events;
  readonly endpoints: Endpoints;
  readonly exports: Exports;
  readonly overview: ReadOverview;
};

/** Sends nothing yet. Throws a TypeError for an address or key that can't be one. */
export function createSvcPay(options: SvcPayOptions): SvcPay {
  const connection = connect(options);
  return {
    intents: intentsOf(connection),
    payments: paymentsOf(connection),
    refunds: refundsOf(connection),
    tokens: tokensOf(connection),
    upto: uptoOf(connection),
    events: eventsOf(connection),
    endpoints: endpointsOf(connection),
    exports: exportsOf(connection),
    overview: overviewOf(connection),
  };
}
