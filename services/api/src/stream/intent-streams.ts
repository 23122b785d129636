// All event streams of this process: how many there may be, and how they all end when the process stops.
import type { ServerResponse } from 'node:http';
import type { Caller, Intent } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type { IntentSituation, StatusPorts } from '../ports.ts';
import type { Outcome } from '../routes/outcome.ts';
import { followIntent, type StreamPace, TERMINAL_EVENT_ID } from './follow-intent.ts';

export type StreamOptions = StreamPace & {
  /** Most streams at a time; the next one is refused. */
  readonly max: number;
  readonly onProblem: (problem: unknown) => void;
};

export type IntentStreams = {
  readonly open: (caller: Caller, intentId: Id<'paymentIntent'>, lastEventId: string | undefined) => Promise<Outcome>;
  readonly count: () => number;
  /** Ends every stream, and refuses new ones. */
  readonly endAll: () => void;
};

const ENDED: ReadonlySet<Intent['status']> = new Set(['completed', 'failed', 'canceled']);

export function createIntentStreams(ports: StatusPorts, options: StreamOptions): IntentStreams {
  const running = new Set<{ end: () => void }>();
  let reserved = 0;
  let stopping = false;

  function follow(
    response: ServerResponse,
    caller: Caller,
    intentId: Id<'paymentIntent'>,
    first: IntentSituation,
  ): void {
    const entry = { end: () => {} };
    running.add(entry);
    entry.end = followIntent(response, {
      first,
      isEnded: ({ intent }) => ENDED.has(intent.status),
      load: () => ports.loadStatus(caller, intentId),
      watch: (onChange) => ports.watchIntent(intentId, onChange),
      pace: options,
      onProblem: options.onProblem,
      onEnd: () => {
        running.delete(entry);
        reserved -= 1;
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
    async open(caller, intentId, lastEventId) {
      if (stopping || reserved >= options.max) return { ok: false, code: 'service_unavailable', param: null };
      reserved += 1;
      let taken = false;
      try {
        const first = await ports.loadStatus(caller, intentId);
        if (first === undefined) return { ok: false, code: 'not_found', param: null };
        // The one status that tells an EventSource not to come again.
        if (lastEventId === TERMINAL_EVENT_ID && ENDED.has(first.intent.status)) {
          return { ok: true, replayed: false, answer: { status: 204, headers: {}, body: '' } };
        }
        taken = true;
        return { ok: true, stream: (response) => follow(response, caller, intentId, first) };
      } finally {
        if (!taken) reserved -= 1;
      }
    },
  };
}
