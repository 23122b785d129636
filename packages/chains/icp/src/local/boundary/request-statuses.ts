// What became of each call, for as long as its sender may ask. A call is known by its request id, so that the same bytes
// sent twice execute once.
import { leb128 } from '@svc-pay/protocol/icp';
import type { CanisterAnswer } from '../vm/message.ts';
import { labelOf, labels, type State } from './hash-tree.ts';
import { RefusedRequest } from './refused-request.ts';

export type TrackedRequest = {
  readonly sender: Uint8Array;
  readonly canister: Uint8Array;
  readonly expiry: bigint;
  /** Fulfilled when the call has its answer. */
  readonly done: Promise<void>;
  state: State;
  /** Until then the status says that the call is being processed. */
  visibleAt: bigint;
  settled: State | undefined;
};

const MAX_REQUESTS = 10_000;
/** How long a status outlives the time until which its request could be sent. */
const KEPT_NANOSECONDS = 300_000_000_000n;

const PROCESSING = labels(['status', labelOf('processing')]);

export class RequestStatuses {
  readonly #requests = new Map<string, TrackedRequest>();
  readonly #nowNanoseconds: () => bigint;

  constructor(nowNanoseconds: () => bigint) {
    this.#nowNanoseconds = nowNanoseconds;
  }

  find(requestId: Uint8Array): TrackedRequest | undefined {
    return this.#requests.get(keyOf(requestId));
  }

  /** Begins a call and tracks it; none begins that could not be tracked. */
  track(
    requestId: Uint8Array,
    request: Pick<TrackedRequest, 'sender' | 'canister' | 'expiry'>,
    { answer, processingMs }: { readonly answer: () => Promise<CanisterAnswer>; readonly processingMs: number },
  ): TrackedRequest {
    this.#prune();
    if (this.#requests.size >= MAX_REQUESTS) throw new RefusedRequest(503, 'too many calls are under way');
    const visibleAt = this.#nowNanoseconds() + BigInt(processingMs) * 1_000_000n;
    const settle = async (): Promise<void> => {
      const given = await answer();
      tracked.settled = stateOf(given);
    };
    const tracked: TrackedRequest = { ...request, state: PROCESSING, visibleAt, settled: undefined, done: settle() };
    this.#requests.set(keyOf(requestId), tracked);
    return tracked;
  }

  /** Everything that a certificate can say about requests. */
  state(): State {
    const now = this.#nowNanoseconds();
    return labels(
      ...[...this.#requests].map(([key, request]) => {
        if (request.settled !== undefined && request.visibleAt <= now) request.state = request.settled;
        return [Buffer.from(key, 'hex'), request.state] as const;
      }),
    );
  }

  #prune(): void {
    const oldest = this.#nowNanoseconds() - KEPT_NANOSECONDS;
    for (const [key, { expiry }] of this.#requests) if (expiry < oldest) this.#requests.delete(key);
  }
}

function stateOf(answer: CanisterAnswer): State {
  if (answer.kind === 'reply') return labels(['status', labelOf('replied')], ['reply', answer.reply]);
  return labels(
    ['status', labelOf('rejected')],
    ['reject_code', leb128(BigInt(answer.code))],
    ['reject_message', labelOf(answer.message)],
    ['error_code', labelOf(answer.errorCode)],
  );
}

const keyOf = (requestId: Uint8Array) => Buffer.from(requestId).toString('hex');
