// Client of the settlement service, the only service that begins up-to settlements, accepts payments and reads blocks of token
// ledgers. Without an answer nothing is concluded. If one process does not answer, the next is asked: settlement acts on a repeated request only once.
import { type BlockName, type Caller, type NotifiedTransfer, type UptoPorts } from '@svc-pay/core';
import { type InternalNotifyRequest, internalNotifyResponse } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
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

const ACCEPT_REFUSALS = [
  'not_found',
  'payment_not_mismatched',
  'intent_paid_by_another',
  'intent_payment_under_way',
  'payment_being_refunded',
] as const;

const done = z.object({ ok: z.literal(true) });

type Unanswered = { readonly ok: false; readonly code: 'service_unavailable'; readonly delivered: boolean };
type Done<Code> = { readonly ok: true } | { readonly ok: false; readonly code: Code };
type Answer<Code> = Done<Code> | Unanswered;

export type AcceptPayment = (order: {
  readonly caller: Caller;
  readonly paymentId: Id<'payment'>;
  readonly requestId: string;
}) => Promise<Answer<(typeof ACCEPT_REFUSALS)[number]>>;

export type NotifyOfBlock = (order: {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly block: BlockName;
  readonly requestId: string;
}) => Promise<NotifiedTransfer>;

export type SettlementClient = Pick<UptoPorts, 'beginUpto'> & {
  readonly acceptPayment: AcceptPayment;
  readonly notifyTransfer: NotifyOfBlock;
};

type Order<Known> = {
  readonly path: string;
  readonly caller: Caller;
  readonly requestId: string;
  readonly body: object;
  readonly ids: object;
  /** The least that a process gets for its answer. */
  readonly leastMs?: number;
  /** The answer; undefined for a body that is none. */
  readonly read: (body: unknown) => Known | undefined;
};

const UNANSWERED = (delivered: boolean): Unanswered => ({ ok: false, code: 'service_unavailable', delivered });
const isUnanswered = (answer: object): answer is Unanswered => 'delivered' in answer;

/** Reads `{ ok: true }`, and a refusal by one of these codes. */
const doneOr =
  <Code extends string>(refusals: readonly Code[]) =>
  (body: unknown): Done<Code> | undefined => {
    if (done.safeParse(body).success) return { ok: true };
    const refusal = z.object({ error: z.string() }).safeParse(body);
    const code = refusals.find((known) => refusal.success && known === refusal.data.error);
    return code && { ok: false, code };
  };

function readNotified(body: unknown): NotifiedTransfer | undefined {
  const read = internalNotifyResponse.safeParse(body);
  if (!read.success) return undefined;
  const { outcome, refusal } = read.data;
  if (outcome !== 'refused') return { outcome };
  return refusal === null ? undefined : { outcome, refusal };
}

export function createSettlementClient({ urls, ...rest }: SettlementClientOptions): SettlementClient {
  const options = { ...rest, timeoutMs: Math.ceil(rest.timeoutMs / urls.length) };
  let preferred = 0;
  const ask = async <Known extends object>(order: Order<Known>): Promise<Known | Unanswered> => {
    const from = preferred;
    let delivered = false;
    for (let tried = 0; tried < urls.length; tried += 1) {
      const index = (from + tried) % urls.length;
      const answer = await askOne(urls[index] ?? '', options, order);
      if (!isUnanswered(answer)) {
        preferred = index;
        return answer;
      }
      delivered ||= answer.delivered;
    }
    return UNANSWERED(delivered);
  };
  return {
    beginUpto: ({ caller, intentId, settledAtomic, requestId }) =>
      ask({
        path: '/evm/settlement/x402-upto',
        caller,
        requestId,
        body: { ...ownerOf(caller), paymentIntentId: intentId, settledAmount: settledAtomic.toString() },
        ids: { intentId },
        read: doneOr(REFUSALS),
      }),
    acceptPayment: ({ caller, paymentId, requestId }) =>
      ask({
        path: '/payments/accept',
        caller,
        requestId,
        body: { ...ownerOf(caller), paymentId },
        ids: { paymentId },
        read: doneOr(ACCEPT_REFUSALS),
      }),
    notifyTransfer: async ({ caller, intentId, block, requestId }) => {
      const { ledger, index } = block;
      const body: InternalNotifyRequest = {
        ...ownerOf(caller),
        paymentIntentId: intentId,
        ledger,
        blockIndex: index.toString(),
      };
      const ids = { intentId, ledger, blockIndex: body.blockIndex };
      const answer = await ask({
        path: '/payments/notify',
        caller,
        requestId,
        body,
        ids,
        leastMs: NOTIFY_MS,
        read: readNotified,
      });
      return isUnanswered(answer) ? UNKNOWN : answer;
    },
  };
}

const ownerOf = ({ accountId, mode }: Caller) => ({ accountId, mode });

/** Settlement waits four seconds for a token ledger. Who left it earlier would ask the next process to read the block too. */
const NOTIFY_MS = 5_000;
const UNKNOWN: NotifiedTransfer = { outcome: 'unknown' };

async function askOne<Known extends object>(
  url: string,
  { internalKey, timeoutMs, onProblem }: Omit<SettlementClientOptions, 'urls'>,
  { path, caller, requestId, body: asked, ids: named, leastMs = 0, read }: Order<Known>,
): Promise<Known | Unanswered> {
  const ids = { ...named, requestId, url };
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${internalKey}`,
        'content-type': 'application/json',
        'x-svc-actor': `key:${caller.keyId}`,
        'x-request-id': requestId,
      },
      body: JSON.stringify(asked),
      signal: AbortSignal.timeout(Math.max(timeoutMs, leastMs)),
    });
    const body: unknown = await response.json();
    const known = read(body);
    if (known !== undefined) return known;
    onProblem(new Error(`settlement answered ${response.status}: ${JSON.stringify(body).slice(0, 200)}`), ids);
    // Below 500: settlement refused the key or the body before it looked at the payment.
    return UNANSWERED(response.status >= 500);
  } catch (problem) {
    onProblem(problem, ids);
    return UNANSWERED(!wasRefused(problem));
  }
}

/** True if nobody listened, so that nothing can have begun. */
function wasRefused(problem: unknown): boolean {
  const { cause } = (problem ?? {}) as { cause?: { code?: unknown } };
  return cause?.code === 'ECONNREFUSED';
}

/** Used when no settlement URL is configured. */
export const NO_SETTLEMENT: SettlementClient = {
  acceptPayment: async () => UNANSWERED(false),
  beginUpto: async () => UNANSWERED(false),
  notifyTransfer: async () => UNKNOWN,
};
