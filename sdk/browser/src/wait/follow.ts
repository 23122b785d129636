// Following an intent: the event stream tells changes as they come, and behind it the service is asked again and again,
// ever more slowly, because streams break in silence. It ends when the judge has heard enough or the time is up.
import { type SvcPayError, withAttempt } from '../error/svc-pay-error.ts';
import { pauseMs } from '../http/pause.ts';
import { childOf, haltIfAborted } from '../http/race.ts';
import { mayPass, refusalIn } from '../http/refusal.ts';
import type { Service } from '../http/service.ts';
import type { Ports } from '../ports.ts';
import { readSituation, type Situation } from '../read/read-situation.ts';
import { readStream } from './read-stream.ts';

export type FollowedPayment = {
  readonly ports: Ports;
  readonly service: Service;
  readonly paymentIntentId: string;
  readonly signal: AbortSignal;
  readonly untilMs: number;
  /** Called with every situation heard; true ends the following. */
  readonly isEnough: (situation: Situation) => boolean;
};

const PAUSE_BEHIND_A_STREAM_MS = 15_000;
const MAX_BROKEN_STREAMS = 3;

/** The situation that was enough, or undefined when the time was up. Throws when aborted, and when asking is refused. */
export async function followPayment(followed: FollowedPayment): Promise<Situation | undefined> {
  const { ports, untilMs, paymentIntentId, signal } = followed;
  const { controller, release } = childOf(signal);
  let enough: Situation | undefined;
  const hear = (body: unknown) => {
    const situation = controller.signal.aborted ? undefined : readSituation(body, paymentIntentId);
    if (situation === undefined || !followed.isEnough(situation)) return;
    enough = situation;
    controller.abort();
  };
  const state: State = { streaming: false, refusal: undefined };
  void ports.sleep(Math.max(0, untilMs - ports.nowMs()), controller.signal).then(() => controller.abort());
  await Promise.all([
    listen(followed, controller.signal, state, hear),
    ask(followed, controller.signal, state, hear).finally(() => controller.abort()),
  ]);
  release();
  if (enough !== undefined) return enough;
  haltIfAborted(signal);
  // Who may not ask knows nothing about the money.
  if (state.refusal !== undefined) throw withAttempt(state.refusal, { moneyMoved: 'unknown' });
  return undefined;
}

type State = { streaming: boolean; refusal: SvcPayError | undefined };

async function listen(
  { ports, service, paymentIntentId }: FollowedPayment,
  signal: AbortSignal,
  state: State,
  onData: (data: unknown) => void,
): Promise<void> {
  for (let broken = 0; broken < MAX_BROKEN_STREAMS && !signal.aborted; ) {
    const onOpen = () => {
      state.streaming = true;
    };
    const end = await readStream({ ports, service, paymentIntentId, signal, onOpen, onData });
    state.streaming = false;
    if (end === 'refused') return;
    broken = end === 'broken' ? broken + 1 : 0;
    await ports.sleep(pauseMs(ports, broken + 1), signal);
  }
}

async function ask(
  { ports, service, paymentIntentId }: FollowedPayment,
  signal: AbortSignal,
  state: State,
  hear: (body: unknown) => void,
): Promise<void> {
  let askedMs: number | undefined;
  for (let round = 1; ; round += 1) {
    await ports.sleep(state.streaming ? PAUSE_BEHIND_A_STREAM_MS : pauseMs(ports, round, askedMs), signal);
    if (signal.aborted) return;
    const reply = await service.notify(paymentIntentId, signal);
    askedMs = reply?.retryAfterMs;
    if (reply === undefined) continue;
    if (reply.status === 200) hear(reply.body);
    const refusal = reply.status === 200 || mayPass(reply.status) ? undefined : refusalIn(reply);
    if (refusal === undefined || refusal.retryable) continue;
    state.refusal = refusal;
    return;
  }
}
