// One stream: says how the intent stands, then again after every change. A notification only wakes it; what it sends is
// always read from the database, and it also looks by itself, because notifications can be lost.
import type { ServerResponse } from 'node:http';
import type { IntentSituation } from '../ports.ts';
import { statusBody } from '../routes/status-body.ts';
import { frameOf, HEARTBEAT, retryFrame } from './frame.ts';

export const TERMINAL_EVENT_ID = 'terminal';

export type StreamPace = {
  readonly heartbeatMs: number;
  readonly pollMs: number;
  /** A stream ends after this time and the client connects again. */
  readonly lifeMs: number;
};

export type FollowedIntent = {
  readonly first: IntentSituation;
  readonly isEnded: (situation: IntentSituation) => boolean;
  readonly load: () => Promise<IntentSituation | undefined>;
  readonly watch: (onChange: () => void) => Promise<() => void | Promise<void>>;
  readonly pace: StreamPace;
  readonly onProblem: (problem: unknown) => void;
  /** Called once, when nothing is left running. */
  readonly onEnd: () => void;
};

const RETRY_MS = 2_000;
/** A client that reads nothing must not make us hold its events. */
const MAX_UNREAD_BYTES = 256 * 1_024;

/** Returns how to end it from outside. Never throws and never rejects. */
export function followIntent(response: ServerResponse, followed: FollowedIntent): () => void {
  const { load, pace, onProblem } = followed;
  let sent = '';
  let over = false;
  let unwatch: (() => void | Promise<void>) | undefined;
  let looking = false;
  let lookAgain = false;

  const timers = [
    setInterval(() => write(HEARTBEAT), pace.heartbeatMs),
    setInterval(look, pace.pollMs),
    setTimeout(end, pace.lifeMs),
  ];

  function write(text: string): void {
    if (over) return;
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
    else response.write(text);
  }

  function tell(situation: IntentSituation): void {
    const data = statusBody(situation);
    if (data !== sent) write(frameOf({ event: 'payment_intent_update', data }));
    sent = data;
    if (!followed.isEnded(situation)) return;
    write(frameOf({ event: 'terminal', data, id: TERMINAL_EVENT_ID }));
    end();
  }

  function look(): void {
    lookAgain = true;
    if (!looking) void lookWhileAsked();
  }

  async function lookWhileAsked(): Promise<void> {
    looking = true;
    while (lookAgain && !over) {
      lookAgain = false;
      try {
        const situation = await load();
        if (over) break;
        if (situation === undefined) end();
        else tell(situation);
      } catch (problem) {
        // The next poll tries again.
        onProblem(problem);
      }
    }
    looking = false;
  }

  async function startWatching(): Promise<void> {
    try {
      const stop = await followed.watch(look);
      if (over) await stop();
      else unwatch = stop;
    } catch (problem) {
      onProblem(problem);
    }
    // What changed between the first look and the watch was announced to nobody.
    look();
  }

  async function stopWatching(): Promise<void> {
    try {
      await unwatch?.();
    } catch (problem) {
      onProblem(problem);
    }
  }

  function end(): void {
    if (over) return;
    over = true;
    for (const timer of timers) clearTimeout(timer);
    response.end();
    void stopWatching();
    followed.onEnd();
  }

  response.once('close', end);
  response.on('error', onProblem);
  // The client may have left while its intent was looked up; then `close` has been and gone.
  if (response.destroyed || response.closed) end();
  write(retryFrame(RETRY_MS));
  tell(followed.first);
  if (!over) void startWatching();
  return end;
}
