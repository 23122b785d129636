// Merchants' servers. What they took they wrote down, whatever they answered, or did not.
import type { LeasedDelivery } from '@svc-pay/core';
import type { SendRequest } from '@svc-pay/webhooks/dispatch';
import type { MortalProcess } from '../runtime/mortal-process.ts';
import type { Ask } from './ask.ts';
import type { EndpointDays } from './endpoint-days.ts';
import type { Simulation } from './simulation.ts';

export type Arrival = {
  readonly eventId: string;
  readonly endpointId: string;
  readonly fence: string;
  readonly sequence: string;
  readonly body: string;
  readonly atMs: number;
  /** Life of the process that sent it. */
  readonly sender: string;
};

type Sent = Awaited<ReturnType<SendRequest>>;

const NOTHING: Omit<Sent, 'outcome' | 'error' | 'responseStatus' | 'totalMs'> = {
  address: null,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
  responseHeaders: {},
  responseExcerpt: null,
  retryAfter: undefined,
};

const UNREACHABLE: Sent = { ...NOTHING, outcome: 'unreachable', error: 'reset', responseStatus: null, totalMs: 1 };

/** The way of one leased delivery to its endpoint. */
export function sendTo(
  { timeline, clock, strikes, note }: Simulation,
  arrivals: Arrival[],
  process: MortalProcess,
  ask: Ask,
  days: EndpointDays,
  delivery: LeasedDelivery,
): SendRequest {
  const { eventId, endpointId, fence } = delivery;
  return async ({ headers, body, timeoutMs }) => {
    const take = (answer: string) => {
      note('receiver', `${eventId} ${headers['x-svc-sequence']} from ${process.name}, ${answer}`);
      arrivals.push({
        eventId,
        endpointId,
        fence,
        sequence: headers['x-svc-sequence'] ?? '',
        body: new TextDecoder().decode(body),
        atMs: clock.nowMs(),
        sender: process.name,
      });
    };
    const question = { to: 'receiver', what: 'POST', changes: true } as const;
    const lost = () => new Error('reset');
    const day = days.answerOf(endpointId);
    if (day !== undefined) {
      await ask(question, () => day.status !== 'unreachable' && take(String(day.status)), lost);
      await new Promise<void>((resolve) => timeline.after(day.afterMs, () => process.deliver(resolve)));
      const totalMs = Math.round(day.afterMs);
      if (day.status === 'unreachable') return { ...UNREACHABLE, totalMs };
      const outcome = day.status === 200 ? 'succeeded' : 'refused';
      return { ...NOTHING, outcome, error: null, responseStatus: day.status, totalMs };
    }
    if (strikes('receiver hangs', 0.06)) {
      const takes = strikes('receiver hangs', 0.5);
      await ask(question, () => takes && take('and hangs'), lost);
      await new Promise<void>((resolve) => timeline.after(timeoutMs, () => process.deliver(resolve)));
      return { ...NOTHING, outcome: 'timed_out', error: 'no answer in time', responseStatus: null, totalMs: timeoutMs };
    }
    if (strikes('receiver dies', 0.06)) {
      await ask(question, () => take('and dies'), lost);
      return UNREACHABLE;
    }
    const status = strikes('receiver errs', 0.1) ? 500 : 200;
    await ask(question, () => take(String(status)), lost);
    const outcome = status === 200 ? 'succeeded' : 'refused';
    return { ...NOTHING, outcome, error: null, responseStatus: status, totalMs: 1 };
  };
}
