// The service as a merchant's backend uses it. Calls answer values: `{ ok: true, … }`, or a `CallFailure` with a code, a
// sentence, and whether to repeat.
import { connect, type SvcPayOptions } from './call/connection.ts';
import { type Endpoints, endpointsOf } from './endpoints/endpoints.ts';
import { type Events, eventsOf } from './events/events.ts';
import { type Intents, intentsOf } from './intents/intents.ts';
import { type Upto, uptoOf } from './upto/upto.ts';

export type SvcPay = {
  readonly intents: Intents;
  readonly upto: Upto;
  readonly events: Events;
  readonly endpoints: Endpoints;
};

/** Sends nothing yet. Throws a TypeError for an address or key that can't be one. */
export function createSvcPay(options: SvcPayOptions): SvcPay {
  const connection = connect(options);
  return {
    intents: intentsOf(connection),
    upto: uptoOf(connection),
    events: eventsOf(connection),
    endpoints: endpointsOf(connection),
  };
}
