// Payers who go on paying while processes come and go. They ask whichever API is in service, as behind a balancer, and an
// answer that is none, or not what was to be expected, is counted.
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Shop } from '../../e2e/open-shop.ts';
import { confirm, prepareUpto, settleUpto } from '../../e2e/upto-calls.ts';
import { type Payer, prepare, settle } from '../../e2e/wallet.ts';

export type Load = {
  /** New requests go to these from now on. */
  readonly serve: (apiUrls: readonly string[]) => void;
  readonly paid: () => number;
  readonly failures: readonly string[];
  /** The longest time between two payments that ended well, since it was last asked. */
  readonly longestPauseMs: () => number;
  readonly settledAtomic: () => bigint;
  /** Adds a payment that somebody else made. */
  readonly count: (atomic: bigint) => void;
  readonly stop: () => Promise<void>;
};

const CAP_ATOMIC = 3_000_000n;
const PRICE_ATOMIC = 1_500_000n;
const MOST_TRIES = 60;

/** Another kind of caller, again and again: the atomic units of a payment that it made, or undefined if it made none. */
export type OtherCaller = (nextApi: () => string) => Promise<bigint | undefined>;

/** Reads the keys of `shop` for every call: a drill may change them. */
export function startLoad(
  shop: Shop,
  payers: readonly Payer[],
  first: string,
  others: readonly OtherCaller[] = [],
): Load {
  let urls: readonly string[] = [first];
  let turn = 0;
  const closing = new AbortController();
  let settledAtomic = 0n;
  let [lastMs, longestMs, paid] = [performance.now(), 0, 0];
  const failures: string[] = [];
  const door = () => ({ apiUrl: urls[turn++ % urls.length] ?? first, shop });
  const succeed = (atomic: bigint) => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    paid += 1;
    settledAtomic += atomic;
  };

  const again = async (ask: () => Promise<string | undefined>): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      const status = await ask();
      if (status === 'succeeded') return;
      if (status !== 'processing' || tries === MOST_TRIES) throw new Error(`a payment ended as ${status}`);
      await sleep(50);
    }
  };
  const payExact = async (payer: Payer) => {
    const call = await prepare(door(), payer);
    await again(async () => (await settle(door(), call)).status);
    succeed(PRICE_ATOMIC);
  };
  const payUpto = async (payer: Payer, number: number) => {
    const atomic = 1n + ((BigInt(number) * 7_919n) % CAP_ATOMIC);
    const call = await prepareUpto(door(), payer, { capAtomic: CAP_ATOMIC });
    const confirmed = await confirm(door(), call);
    if (confirmed.httpStatus !== 200) throw new Error(`confirm: ${confirmed.httpStatus}`);
    const sent = { paymentIntentId: call.paymentIntentId, settledAmount: atomic.toString() };
    await again(async () => {
      const { httpStatus, body } = await settleUpto(door(), sent);
      if (httpStatus !== 200) throw new Error(`settle: ${httpStatus} ${JSON.stringify(body)}`);
      return body.status;
    });
    succeed(atomic);
  };
  const shopper = async (payer: Payer, seat: number) => {
    for (let number = seat; !closing.signal.aborted; number += payers.length) {
      await (number % 3 === 0 ? payUpto(payer, number) : payExact(payer)).catch((problem: unknown) => {
        failures.push(inspect(problem));
      });
    }
  };
  const callAgain = async (call: OtherCaller) => {
    while (!closing.signal.aborted) {
      const atomic = await call(() => door().apiUrl).catch((problem: unknown) => {
        failures.push(inspect(problem));
      });
      if (typeof atomic === 'bigint') succeed(atomic);
    }
  };
  const shoppers = [...payers.map(shopper), ...others.map(callAgain)];
  return {
    serve: (apiUrls) => {
      urls = apiUrls;
    },
    paid: () => paid,
    failures,
    longestPauseMs: () => {
      const longest = Math.max(longestMs, performance.now() - lastMs);
      longestMs = 0;
      return Math.round(longest);
    },
    settledAtomic: () => settledAtomic,
    count: succeed,
    stop: async () => {
      closing.abort();
      await Promise.all(shoppers);
    },
  };
}
