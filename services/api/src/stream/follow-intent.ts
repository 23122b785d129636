// One event stream: sends the intent's status, and again after every change that its feed reads.
import type { ServerResponse } from 'node:http';
import type { KeyKind } from '@svc-pay/core';
import type { IntentSituation } from '../ports.ts';
import { statusBody } from '../routes/status-body.ts';
import { frameOf, HEARTBEAT, retryFrame } from './frame.ts';

export const TERMINAL_EVENT_ID = 'terminal';

export type StreamPace = {
  readonly heartbeatMs: number;
  /** Lifetime of a stream; afterwards the client reconnects. */
  readonly lifeMs: number;
};

export type FollowedIntent = {
  /** Kind of the key that opened the stream. */
  readonly viewer: KeyKind;
  readonly first: IntentSituation;
  readonly isEnded: (situation: IntentSituation) => boolean;
  /**
   * Calls `onSituation` with every later read; undefined if the intent is gone. Returns the function to unsubscribe.
   */
  readonly subscribe: (onSituation: (situation: IntentSituation | undefined) => void) => () => void;
  readonly pace: StreamPace;
  readonly onProblem: (problem: unknown) => void;
  /** Called once, when the stream has ended and holds no resources. */
  readonly onEnd: () => void;
};

const RETRY_MS = 2_000;
/** Limit of buffered bytes: a client that does not read must not fill our memory. */
const MAX_UNREAD_BYTES = 256 * 1_024;

/** Returns the function that ends the stream from outside. Never throws and never rejects. */
export function followIntent(response: ServerResponse, followed: FollowedIntent): () => void {
  const { pace } = followed;
  let sent = '';
  let over = false;
  let unsubscribe = () => {};

  const timers = [setInterval(() => write(HEARTBEAT), pace.heartbeatMs), setTimeout(end, pace.lifeMs)];

  function write(text: string): void {
    if (over) return;
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
    else response.write(text);
  }

  function tell(situation: IntentSituation): void {
    const data = statusBody(situation, followed.viewer);
    if (data !== sent) write(frameOf({ event: 'payment_intent_update', data }));
    sent = data;
    if (!followed.isEnded(situation)) return;
    write(frameOf({ event: 'terminal', data, id: TERMINAL_EVENT_ID }));
    end();
  }

  function end(): void {
    if (over) return;
    over = true;
    for (const timer of timers) clearTimeout(timer);
    response.end();
    unsubscribe();
    followed.onEnd();
  }

  response.once('close', end);
  response.on('error', followed.onProblem);
  // If the client left during the lookup of its intent, `close` was emitted before and will not come again.
  if (response.destroyed || response.closed) end();
  write(retryFrame(RETRY_MS));
  tell(followed.first);
  if (!over) {
    unsubscribe = followed.subscribe((situation) => {
      if (situation === undefined) end();
      else tell(situation);
    });
  }
  return end;
}
