// The way to the settlement service, which alone begins up-to settlements. What it answers decides; silence decides nothing.
// Of several processes the next is asked when one does not answer: asked twice for the same, settlement begins it once.
import type { BegunUpto, UptoPorts } from '@svc-pay/core';
import * as z from 'zod/mini';

export type SettlementClientOptions = {
  /** At least one. */
  readonly urls: readonly string[];
  readonly internalKey: string;
  /** For all of them together: each has its share. */
  readonly timeoutMs: number;
  readonly onProblem: (problem: unknown) => void;
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
      let sent = false;
      for (let tried = 0; tried < urls.length; tried += 1) {
        const index = (from + tried) % urls.length;
        const answer = await askOne(urls[index] ?? '', options, call);
        if (!isUnanswered(answer)) {
          preferred = index;
          return answer;
        }
        sent ||= 'sent' in answer && answer.sent;
      }
      return { ok: false, code: 'service_unavailable', sent };
    },
  };
}

async function askOne(
  url: string,
  { internalKey, timeoutMs, onProblem }: Omit<SettlementClientOptions, 'urls'>,
  { caller, intentId, settledAtomic, requestId }: Parameters<BeginUpto>[0],
): Promise<BegunUpto> {
  try {
    const response = await fetch(`${url}/evm/settlement/x402-upto`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${internalKey}`,
        'content-type': 'application/json',
        'x-svc-actor': `key:${caller.keyId}`,
        'x-request-id': requestId,
      },
      body: JSON.stringify({ paymentIntentId: intentId, settledAmount: settledAtomic.toString() }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body: unknown = await response.json();
    if (began.safeParse(body).success) return { ok: true };
    const refusal = refused.safeParse(body);
    if (refusal.success) return { ok: false, code: refusal.data.error };
    onProblem(new Error(`settlement answered ${response.status}: ${JSON.stringify(body).slice(0, 200)}`));
    // A key it does not take, or a body it does not read, was refused before anything was looked at.
    return { ok: false, code: 'service_unavailable', sent: response.status >= 500 };
  } catch (problem) {
    onProblem(problem);
    return { ok: false, code: 'service_unavailable', sent: !wasRefused(problem) };
  }
}

/** Nobody listened, so nothing can have been begun. */
function wasRefused(problem: unknown): boolean {
  const { cause } = (problem ?? {}) as { cause?: { code?: unknown } };
  return cause?.code === 'ECONNREFUSED';
}

/** Without an address there is nobody to ask. */
export const NO_SETTLEMENT: Pick<UptoPorts, 'beginUpto'> = {
  beginUpto: async () => ({ ok: false, code: 'service_unavailable', sent: false }),
};
