// All event streams of this process: limits their number, and ends them when the process stops.
import type { ServerResponse } from 'node:http';
import { type Caller, ENDED_INTENT, type Intent } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type { IntentSituation, StatusPorts } from '../ports.ts';
import type { RouteOutcome } from '../routes/outcome.ts';
import { followIntent, type StreamPace, TERMINAL_EVENT_ID } from './follow-intent.ts';
import { createIntentFeeds, type FeedOptions } from './intent-feeds.ts';
import type { StreamSlots } from './stream-slots.ts';

export type StreamOptions = StreamPace & FeedOptions & { readonly slots: StreamSlots };

type StreamCall = {
  readonly caller: Caller;
  /** Client address, as named by the rate limits. */
  readonly address: string;
  readonly intentId: Id<'paymentIntent'>;
  readonly lastEventId: string | undefined;
};

export type IntentStreams = {
  readonly open: (call: StreamCall) => Promise<RouteOutcome>;
  readonly count: () => number;
  /** Ends all streams and refuses new ones. */
  readonly endAll: () => void;
};

const ENDED: ReadonlySet<Intent['status']> = new Set(ENDED_INTENT);

export function createIntentStreams(ports: StatusPorts, options: StreamOptions): IntentStreams {
  const running = new Set<{ end: () => void }>();
  const feeds = createIntentFeeds(ports, options);
  const { slots } = options;
  let stopping = false;

  function follow(
    response: ServerResponse,
    { caller, intentId }: StreamCall,
    first: IntentSituation,
    release: () => void,
  ): void {
    const entry = { end: () => {} };
    running.add(entry);
    entry.end = followIntent(response, {
      viewer: caller.kind,
      first,
      isEnded: ({ intent }) => ENDED.has(intent.status),
      subscribe: (onSituation) => feeds.subscribe(caller, intentId, onSituation),
      pace: options,
      onProblem: (problem) => options.onProblem(problem, intentId),
      onEnd: () => {
        running.delete(entry);
        release();
      },
    });
    if (stopping) entry.end();
  }

  return {
    count: () => running.size,
    endAll() {
      stopping = true;
      for (const { end } of running) end();
    },
    async open(call) {
      const { caller, address, intentId, lastEventId } = call;
      if (stopping) return { ok: false, code: 'service_unavailable', param: null };
      const intent = `${caller.accountId}/${caller.mode}/${intentId}`;
      const slot = slots.take({ address, key: caller.keyId, account: `${caller.accountId}/${caller.mode}`, intent });
      if (!slot.ok) {
        return { ok: false, code: slot.full === 'owner' ? 'rate_limited' : 'service_unavailable', param: null };
      }
      let opened = false;
      try {
        const first = await ports.loadStatus(caller, intentId);
        if (first === undefined) return { ok: false, code: 'not_found', param: null };
        // 204 is the only status that stops an EventSource from reconnecting.
        if (lastEventId === TERMINAL_EVENT_ID && ENDED.has(first.intent.status)) {
          return { ok: true, replayed: false, answer: { status: 204, headers: {}, body: '' } };
        }
        opened = true;
        return { ok: true, stream: (response) => follow(response, call, first, slot.release) };
      } finally {
        if (!opened) slot.release();
      }
    },
  };
}
