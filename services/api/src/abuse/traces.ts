// Counts what clients of this process cause, and writes the heaviest of them every few seconds. Counting is in memory: no
// request waits for the database.
import { randomUUID } from 'node:crypto';
import { type AbuseCause, type AbusePage, type Caller, type Clock, createAbuseCounts } from '@svc-pay/core';

export type Traced = {
  /** Text of the client's address. */
  readonly address: string;
  /** Key of the request, valid or not, or the account of its client secret; undefined where neither was found. */
  readonly caller?: (Pick<Caller, 'accountId' | 'mode' | 'kind'> & Partial<Pick<Caller, 'keyId'>>) | undefined;
};

export type Traces = {
  /** A request was refused: no valid key, no right, too many, denied. */
  readonly refused: (traced: Traced) => void;
  /** The header of this payer was refused. Nobody has proved that they signed it. */
  readonly payerRefused: (payer: string) => void;
  readonly created: (traced: Traced) => void;
  readonly paid: (traced: Traced) => void;
  readonly streamOpened: (traced: Traced) => void;
};

export type WrittenTraces = Traces & {
  /** Writes what changed. Never throws. */
  readonly flush: () => Promise<void>;
  /** Writes for the last time. */
  readonly stop: () => Promise<void>;
};

export type TraceOptions = {
  readonly clock: Clock;
  readonly hashOf: (address: string) => string;
  readonly write: (process: string, page: AbusePage) => Promise<void>;
  readonly deleteBefore: (beforeMs: number) => Promise<void>;
  readonly onProblem: (problem: unknown) => void;
};

const FLUSH_MS = 5_000;
/**
 * At most 50 rows of each cause and kind of subject in an hour: about 500. An attacker who spreads a flood over 1,000
 * addresses hides none of them.
 */
const LIMITS = { kept: 1_024, listed: 50 };
const HOUR_MS = 3_600_000;
const KEPT_MS = 7 * 24 * HOUR_MS;

export function createTraces({ clock, hashOf, write, deleteBefore, onProblem }: TraceOptions): WrittenTraces {
  const counts = createAbuseCounts(LIMITS);
  const process = randomUUID();
  let deletedAtMs = Number.NEGATIVE_INFINITY;
  let flushing: Promise<void> | undefined;

  const subjectsOf = ({ address, caller }: Traced) => ({
    address: hashOf(address),
    key: caller?.keyId,
    account: caller && `${caller.accountId}/${caller.mode}`,
  });
  /**
   * A merchant's server creates with its secret key what others pay with the publishable one: of a secret key only the account
   * counts, which has both.
   */
  const buyerOf = (traced: Traced) => {
    const { account, ...who } = subjectsOf(traced);
    return traced.caller?.kind === 'secret' ? { account } : { ...who, account };
  };
  const add = (cause: AbuseCause, subjects: ReturnType<typeof buyerOf> | { payer: string }) =>
    counts.add(cause, subjects, clock.nowMs());

  async function writeAll(): Promise<void> {
    try {
      for (const page of counts.toWrite()) {
        await write(process, page);
        counts.written(page, clock.nowMs());
      }
      if (clock.nowMs() - deletedAtMs < HOUR_MS) return;
      await deleteBefore(clock.nowMs() - KEPT_MS);
      deletedAtMs = clock.nowMs();
    } catch (problem) {
      onProblem(problem);
    }
  }
  const flush = async () => {
    flushing ??= writeAll().finally(() => {
      flushing = undefined;
    });
    return flushing;
  };

  const timer = setInterval(() => void flush(), FLUSH_MS);
  timer.unref();
  return {
    refused: (traced) => add('refused', subjectsOf(traced)),
    payerRefused: (payer) => add('refused', { payer }),
    created: (traced) => add('created', buyerOf(traced)),
    paid: (traced) => counts.pay(buyerOf(traced), clock.nowMs()),
    streamOpened: (traced) => add('streams', subjectsOf(traced)),
    flush,
    async stop() {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}
