// The log of what was emitted: find an event, see where it went, send it again.
import type { EventType } from '@svc-pay/protocol';
import type { EventDetail, EventSummary } from '@svc-pay/protocol/merchant';
import type { CallFailure } from '../call/call-failure.ts';
import type { CallOptions, Connection, MakeOptions } from '../call/connection.ts';
import { everyItem, PAGE_FIELDS, type Page, type PageBody, type PageQuery } from '../call/pages.ts';
import { segment, withQuery } from '../call/path.ts';
import { withFields } from '../call/read-answer.ts';

/** Filters add up. */
export type EventFilter = PageQuery & {
  readonly type?: EventType;
  readonly intentId?: string;
  readonly paymentId?: string;
  /** From here on. ISO 8601, or a date. */
  readonly createdAfter?: string | Date;
  /** Before here. */
  readonly createdBefore?: string | Date;
  /** Only what did not reach every endpoint. */
  readonly undelivered?: boolean;
};

export type EventFound = { readonly ok: true; readonly event: EventDetail };
export type EventResent = {
  readonly ok: true;
  /** How many endpoints get it. */
  readonly deliveries: number;
};
export type SampleTriggered = { readonly ok: true; readonly eventId: string; readonly deliveries: number };

export type Events = {
  /** One page, newest first. */
  readonly list: (filter?: EventFilter, options?: CallOptions) => Promise<Page<EventSummary> | CallFailure>;
  /** Every event, newest first, asking for pages as the loop goes on. Throws a `SvcPayError` when one can't be had. */
  readonly each: (filter?: EventFilter, options?: CallOptions) => AsyncGenerator<EventSummary, void, undefined>;
  /** The envelope, each of its deliveries, and their attempts. */
  readonly get: (eventId: string, options?: CallOptions) => Promise<EventFound | CallFailure>;
  /** The same bytes under the same id: to one endpoint, or to each that is on and had it or subscribes to it. */
  readonly resend: (
    eventId: string,
    options?: MakeOptions & { readonly endpointId?: string },
  ) => Promise<EventResent | CallFailure>;
  /** Test mode only: a made-up event for every endpoint that subscribes to its type. */
  readonly trigger: (type: EventType, options?: MakeOptions) => Promise<SampleTriggered | CallFailure>;
};

const EVENTS = '/sdk/events';

export function eventsOf({ call }: Connection): Events {
  const list: Events['list'] = async (filter = {}, options) => {
    const read = withFields<PageBody<EventSummary>>(PAGE_FIELDS);
    const answer = await call({ method: 'GET', path: withQuery(EVENTS, filter), read }, options);
    return answer.ok ? { ok: true, ...answer.value } : answer;
  };
  return {
    list,
    each: (filter = {}, options) => everyItem(list, ({ id }) => id, filter, options),
    get: async (id, options) => {
      const read = withFields<EventDetail>({ id: 'text', event: 'object', deliveries: 'list' });
      const answer = await call({ method: 'GET', path: `${EVENTS}/${segment(id)}`, read }, options);
      return answer.ok ? { ok: true, event: answer.value } : answer;
    },
    resend: async (id, { endpointId, ...options } = {}) => {
      const read = withFields<{ deliveries: number }>({ deliveries: 'number' });
      const path = `${EVENTS}/${segment(id)}/resend`;
      const body = endpointId === undefined ? {} : { endpointId };
      const answer = await call({ method: 'POST', path, body, makes: true, read }, options);
      return answer.ok ? { ok: true, ...answer.value } : answer;
    },
    trigger: async (type, options) => {
      const read = withFields<{ eventId: string; deliveries: number }>({ eventId: 'text', deliveries: 'number' });
      const path = `${EVENTS}/trigger`;
      const answer = await call({ method: 'POST', path, body: { type }, makes: true, read }, options);
      return answer.ok ? { ok: true, ...answer.value } : answer;
    },
  };
}
