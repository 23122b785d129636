// One delivery: whether its rows tell what the receiver saw.
import { createHash, createHmac } from 'node:crypto';
import type { Arrival, Attempt, Delivery, Evidence } from './evidence.ts';
import { explainArrivals, isLost } from './explain-arrivals.ts';

export type DeliveryFindings = {
  readonly lost: boolean;
  readonly unexplained: number;
  readonly problems: readonly string[];
};

const OK: ReadonlySet<string> = new Set(['well', 'drip']);
/** Rounding of clocks, and of phases to whole milliseconds. */
const ROUNDING_MS = 5;
/** How late a timer may fire on a busy machine before it is called broken. */
const LATE_TIMER_MS = 1_000;

export function checkDelivery(delivery: Delivery, evidence: Evidence): DeliveryFindings {
  const { attempts, arrivals } = delivery;
  const { arrivalsOf, unexplained } = explainArrivals(attempts, arrivals);
  const problems = [
    ...checkNumbers(delivery),
    ...attempts.flatMap((attempt) => checkAttempt(attempt, arrivalsOf.get(attempt) ?? [], delivery, evidence)),
    ...attempts.slice(1).flatMap((attempt, index) => checkOrder(attempts[index], attempt)),
    ...arrivals.flatMap((arrival) => checkArrival(arrival, evidence)),
  ];
  return {
    lost: delivery.status !== 'succeeded' || !arrivals.some(({ mood }) => OK.has(mood)),
    unexplained: unexplained.length,
    problems,
  };
}

function checkNumbers({ status, attemptCount, attempts }: Delivery): string[] {
  const numbered = attempts.every(({ number }, index) => number === index + 1);
  const succeeded = attempts.filter(({ outcome }) => outcome === 'succeeded').length;
  return [
    ...(numbered && attempts.length === attemptCount ? [] : [`${attempts.length} attempts, counted ${attemptCount}`]),
    ...(status === 'succeeded' && succeeded !== 1 ? [`succeeded by ${succeeded} attempts`] : []),
    ...(status === 'succeeded' && attempts.at(-1)?.outcome !== 'succeeded' ? ['went on after it had succeeded'] : []),
  ];
}

function checkAttempt(
  attempt: Attempt,
  arrivals: readonly Arrival[],
  { createdMs }: Delivery,
  { timeoutMs, freezes }: Evidence,
): string[] {
  const { outcome, status, totalMs, firstByteMs, nextMs, startedMs, number } = attempt;
  const wrong = (is: boolean, what: string) => (is ? [`attempt ${number} (${outcome}) ${what}`] : []);
  const answered = outcome === 'succeeded' || outcome === 'refused';
  const last = arrivals.at(-1);
  const frozen = freezes.some(({ fromMs, untilMs }) => startedMs < untilMs && startedMs + totalMs > fromMs);
  return [
    ...wrong(startedMs < createdMs - ROUNDING_MS, 'began before its event'),
    ...wrong(totalMs < 0 || (firstByteMs ?? 0) > totalMs + 1, 'has phases longer than itself'),
    ...wrong(answered !== (status !== null), 'and its status do not fit'),
    ...wrong(answered && last === undefined, 'was answered by nobody'),
    ...wrong(outcome === 'succeeded' && (status !== 200 || !OK.has(last?.mood ?? '')), 'was not answered with 200'),
    ...wrong(outcome === 'refused' && (status !== 500 || last?.mood !== 'broken'), 'was not answered with 500'),
    ...wrong(outcome === 'timed_out' && totalMs < timeoutMs - ROUNDING_MS, 'gave up early'),
    ...wrong(answered && !frozen && totalMs > timeoutMs + LATE_TIMER_MS, 'waited past its time'),
    ...wrong((nextMs === null) !== (outcome === 'succeeded'), 'says the wrong thing about a next one'),
    ...wrong(outcome === 'blocked', 'was not to be blocked'),
  ];
}

/** One at a time: the next begins when the one before has ended, or when its lease has. */
function checkOrder(before: Attempt | undefined, { number, startedMs }: Attempt): string[] {
  if (before === undefined) return [];
  const endedMs = before.startedMs + before.totalMs;
  if (startedMs >= endedMs - ROUNDING_MS) return [];
  return [
    `attempt ${number} began ${Math.round(endedMs - startedMs)} ms before ${isLost(before) ? 'the lease' : 'the one'} before it ended`,
  ];
}

/** The bytes that are stored, with their number, signed with the account's key. */
function checkArrival(arrival: Arrival, { events, secretKey }: Evidence): string[] {
  const event = events.get(arrival.event);
  if (event === undefined) return ['an arrival of an unknown event'];
  const [, time = '', signed = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(arrival.signature) ?? [];
  const expected = createHmac('sha256', secretKey).update(`${time}.`).update(event.body).digest('hex');
  return [
    ...(createHash('sha256').update(event.body).digest('hex') === arrival.body ? [] : ['arrived with other bytes']),
    ...(expected === signed ? [] : ['arrived with a signature that does not hold']),
    ...(String(event.sequence) === arrival.sequence ? [] : ['arrived with another sequence']),
  ];
}
