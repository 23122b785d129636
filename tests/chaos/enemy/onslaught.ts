// All attackers at once, each at its share of the hostile requests. A strike begins when it is due; it may make several
// requests, and each of them counts. What is due while too many strikes are open is skipped and counted.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiAnswer, type ApiClient, wordOf } from './api-client.ts';
import type { Attacker, Blow, Ground, HostileAttempt } from './attacker.ts';
import { type HeldStream, holdStream } from './hold-stream.ts';

/** What one attacker did and was answered. */
export type AttackerRecord = {
  readonly name: string;
  readonly finding: string;
  readonly addresses: number;
  /** Requests. */
  readonly sent: number;
  readonly strikes: number;
  /** Strikes that were due and not begun. */
  readonly skipped: number;
  /** Requests by what they were answered. */
  readonly answers: Readonly<Record<string, number>>;
  /** Answers with HTTP 500. */
  readonly broken: number;
  readonly attempts: readonly HostileAttempt[];
  /** Errors of the attacker's own code. */
  readonly problems: readonly string[];
};

export type Onslaught = {
  readonly prepare: () => Promise<void>;
  /** Ends when the time is over and every strike has ended. */
  readonly run: (seconds: number) => Promise<void>;
  readonly records: () => readonly AttackerRecord[];
  /** Requests of each second of the latest run, and those of them that were refused or not answered. */
  readonly seconds: () => readonly { readonly sent: number; readonly refused: number }[];
  /** Lets go of the streams that are held. */
  readonly end: () => void;
};

type Tally = {
  strikes: number;
  sent: number;
  skipped: number;
  broken: number;
  allowance: number;
  open: number;
  readonly answers: Record<string, number>;
  readonly attempts: HostileAttempt[];
  readonly problems: string[];
};

const TICK_MS = 10;
/** A settle call waits up to four seconds for the end of its payment. */
const SECONDS_OPEN = 6;
/** So few may always be open, whatever the rate is. */
const FEW = 10;
const WELL = new Set(['offered', 'succeeded', 'processing', 'http_200', 'http_204']);

export function createOnslaught(
  attackers: readonly Attacker<unknown>[],
  ground: Ground,
  client: ApiClient,
  requestsPerSecond: number,
): Onslaught {
  const states = new Map<Attacker<unknown>, unknown>();
  const tallies = new Map(attackers.map((attacker) => [attacker, newTally()]));
  const seconds: { sent: number; refused: number }[] = [];
  const held: HeldStream[] = [];
  const open: Promise<void>[] = [];
  let beganMs = performance.now();
  const share = requestsPerSecond / attackers.reduce((sum, { perSecond }) => sum + perSecond, 0);

  const count = (tally: Tally, word: string, http: number): void => {
    tally.answers[word] = (tally.answers[word] ?? 0) + 1;
    if (http === 500) tally.broken += 1;
    const second = Math.max(0, Math.floor((performance.now() - beganMs) / 1_000));
    while (seconds.length <= second) seconds.push({ sent: 0, refused: 0 });
    const slot = seconds[second];
    if (slot === undefined) return;
    slot.sent += 1;
    if (!WELL.has(word)) slot.refused += 1;
  };

  const blowOf = (number: number, attacker: Attacker<unknown>, tally: Tally): Blow => {
    const index = tally.strikes - 1;
    const address = addressOf(number, index % attacker.addresses);
    let asked = 0;
    const due = () => {
      tally.sent += 1;
      // The first request of a strike was paid for when the strike began.
      if (asked++ > 0) tally.allowance -= 1;
    };
    return {
      index,
      ground,
      ask: async (request) => {
        due();
        const answer = await client.ask({ ...request, address });
        count(tally, wordOf(answer), answer?.http ?? 0);
        return answer;
      },
      hold: async (path) => {
        due();
        const stream = await holdStream(client.nextUrl(), path, address);
        count(tally, stream.http === 0 ? 'unanswered' : `http_${stream.http}`, stream.http);
        if (stream.http === 200) held.push(stream);
        return stream;
      },
      note: (attempt) => tally.attempts.push(attempt),
    };
  };

  const strike = async (number: number, attacker: Attacker<unknown>, tally: Tally): Promise<void> => {
    tally.strikes += 1;
    tally.open += 1;
    try {
      await attacker.strike(blowOf(number, attacker, tally), states.get(attacker));
    } catch (problem) {
      tally.problems.push(problem instanceof Error ? problem.message : String(problem));
    } finally {
      tally.open -= 1;
    }
  };

  const tick = (elapsedMs: number): void => {
    for (const [number, attacker] of attackers.entries()) {
      const tally = tallies.get(attacker);
      if (tally === undefined) continue;
      const perSecond = attacker.perSecond * share;
      tally.allowance += (perSecond * elapsedMs) / 1_000;
      for (; tally.allowance >= 1; tally.allowance -= 1) {
        if (tally.open >= perSecond * SECONDS_OPEN + FEW) tally.skipped += 1;
        else open.push(strike(number, attacker, tally));
      }
    }
  };

  return {
    prepare: async () => {
      for (const [number, attacker] of attackers.entries()) {
        const address = addressOf(number, 0);
        const ask = async (request: Parameters<Blow['ask']>[0]) => patiently(() => client.ask({ ...request, address }));
        states.set(attacker, await attacker.prepare(ground, ask));
      }
    },
    run: async (length) => {
      beganMs = performance.now();
      seconds.length = 0;
      let lastMs = beganMs;
      while (lastMs < beganMs + length * 1_000) {
        await sleep(TICK_MS);
        const nowMs = performance.now();
        tick(nowMs - lastMs);
        lastMs = nowMs;
      }
      await Promise.all(open);
    },
    records: () =>
      attackers.map((attacker) => {
        const { allowance: _, open: __, ...tally } = tallies.get(attacker) ?? newTally();
        const { name, finding, addresses } = attacker;
        return { name, finding, addresses, ...tally };
      }),
    seconds: () => seconds,
    end: () => {
      for (const stream of held.splice(0)) stream.end();
    },
  };
}

function newTally(): Tally {
  const counts = { strikes: 0, sent: 0, skipped: 0, broken: 0, allowance: 0, open: 0 };
  return { ...counts, answers: {}, attempts: [], problems: [] };
}

/** Each attacker has a network of its own. */
const addressOf = (attacker: number, index: number): string => `172.${16 + attacker}.0.${1 + index}`;

const TRIES = 20;

/** Preparation waits where it is refused for being too fast. */
async function patiently(ask: () => Promise<ApiAnswer | undefined>): Promise<ApiAnswer | undefined> {
  for (let left = TRIES; ; left -= 1) {
    const answer = await ask();
    if (left === 0 || (answer !== undefined && answer.http !== 429)) return answer;
    await sleep(answer?.retryAfterMs ?? 100);
  }
}
