// Client of the settlement service, the only service that begins up-to settlements. Without an answer nothing is
// concluded. If one process does not answer, the next is asked: settlement begins a repeated request only once.
import type { BegunUpto, UptoPorts } from '@svc-pay/core';
import * as z from 'zod/mini';

export type SettlementClientOptions = {
  /** At least one URL. */
  readonly urls: readonly string[];
  readonly internalKey: string;
  /** Total time for all URLs; each gets an equal share. */
  readonly timeoutMs: number;
  readonly onProblem: (problem: unknown, ids: object) => void;
};

const REFUSALS = [
  'not_found',
  'not_an_upto_intent',
  'upto_not_confirmed',
  'settled_amount_out_of_range',
  'upto_already_settled',
  'x402_upto_not_available',
  'authorization_expired',
  'intent_not_payable',
] as const;

const began = z.object({ ok: z.literal(true) });
const refused = z.object({ error: z.enum(REFUSALS) });

type BeginUpto = UptoPorts['beginUpto'];
const isUnanswered = (answer: BegunUpto) => !answer.ok && answer.code === 'service_unavailable';

export function createSettlementClient({ urls, ...rest }: SettlementClientOptions): Pick<UptoPorts, 'beginUpto'> {
  const options = { ...rest, timeoutMs: Math.ceil(rest.timeoutMs / urls.length) };
  let preferred = 0;
  return {
    async beginUpto(call) {
      const from = preferred;
      let delivered = false;
      for (let tried = 0; tried < urls.length; tried += 1) {
        const index = (from + tried) % urls.length;
        const answer = await askOne(urls[index] ?? '', options, call);
        if (!isUnanswered(answer)) {
          preferred = index;
          return answer;
        }
        delivered ||= 'delivered' in answer && answer.delivered;
      }
      return { ok: false, code: 'service_unavailable', delivered };
    },
  };
}

async function askOne(
  url: string,
  { internalKey, timeoutMs, onProblem }: Omit<SettlementClientOptions, 'urls'>,
  { caller, intentId, settledAtomic, requestId }: Parameters<BeginUpto>[0],
): Promise<BegunUpto> {
  const ids = { intentId, requestId, url };
  try {
    const response = await fetch(`${url}/evm/settlement/x402-upto`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${internalKey}`,
        'content-type': 'application/json',
        'x-svc-actor': `key:${caller.keyId}`,
        'x-request-id': requestId,
      },
      body: JSON.stringify({
        accountId: caller.accountId,
        mode: caller.mode,
        paymentIntentId: intentId,
        settledAmount: settledAtomic.toString(),
      }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body: unknown = await response.json();
    if (began.safeParse(body).success) return { ok: true };
    const refusal = refused.safeParse(body);
    if (refusal.success) return { ok: false, code: refusal.data.error };
    onProblem(new Error(`settlement answered ${response.status}: ${JSON.stringify(body).slice(0, 200)}`), ids);
    // Below 500: settlement refused the key or the body before it looked at the payment.
    return { ok: false, code: 'service_unavailable', delivered: response.status >= 500 };
  } catch (problem) {
    onProblem(problem, ids);
    return { ok: false, code: 'service_unavailable', delivered: !wasRefused(problem) };
  }
}

/** True if nobody listened, so that nothing can have begun. */
function wasRefused(problem: unknown): boolean {
  const { cause } = (problem ?? {}) as { cause?: { code?: unknown } };
  return cause?.code === 'ECONNREFUSED';
}

/** Used when no settlement URL is configured. */
export const NO_SETTLEMENT: Pick<UptoPorts, 'beginUpto'> = {
  beginUpto: async () => ({ ok: false, code: 'service_unavailable', delivered: false }),
};
