// Answers of paid requests, for a buyer that sends the same request with the same payment again: because the settlement was
// pending, or because the answer was lost. In the memory of one process; a payment that is not found here is not run again,
// since the service has leased it.
//
// A payment is no secret once it is on the chain. So what a payment buys, or the ticket for it, goes to one request at a time,
// until it has arrived once; after that only to requests with a secret of the buyer.
import type { NowMs } from '../clock.ts';
import type { HttpAnswer } from './answer.ts';

export type Outcome = {
  readonly answer: HttpAnswer;
  /** The answer is what was paid for. */
  readonly isPaid?: true;
  /** Bytes that are kept in memory. */
  readonly keptBytes: number;
  /** The settlement is pending. The answer names the ticket; whoever has it may ask again how the settlement stands. */
  readonly pending?: { readonly ticket: string; readonly resume: () => Promise<Outcome> };
};

export type Begun =
  /** Nothing was taken, and nothing is kept. */
  { readonly ok: false; readonly answer: HttpAnswer } | { readonly ok: true; readonly serve: () => Promise<Outcome> };

export type HandedAnswer = {
  readonly answer: HttpAnswer;
  /** To be called when the answer was sent to its end, or could not be. */
  readonly arrived: (whole: boolean) => void;
};

export type KeptRequest = {
  readonly key: string;
  /** The key holds a secret of the buyer: the answer may go to every request under it. */
  readonly hasSecret: boolean;
};

export type AnswerStore = {
  /** Runs `begin` for the first request under a key, and gives later ones what came of it. Undefined: it has arrived before. */
  readonly answer: (request: KeptRequest, begin: () => Promise<Begun>) => Promise<HandedAnswer | undefined>;
  /** Undefined: nothing is kept for this ticket. */
  readonly answerTicket: (ticket: string) => Promise<HandedAnswer | undefined>;
};

/** In the order in which they make room. What runs is never dropped: its handler must not be lost to a repeat. */
const DROPPED = ['over', 'kept', 'pending'] as const;
type Stage = (typeof DROPPED)[number] | 'running';

type Entry = {
  readonly untilMs: number;
  current: Promise<Outcome>;
  stage: Stage;
  bytes: number;
  ticket: string | undefined;
  /** Whether what was handed out last has arrived. */
  handed: Promise<boolean> | undefined;
};

const LIFE_MS = 600_000;
const MAX_ENTRIES = 1_000;
const MAX_BYTES = 32 * 1_024 * 1_024;
/** An answer of which nothing is heard for so long counts as lost. */
const ARRIVAL_MS = 60_000;
/** Stands for an answer that arrived: its memory is free again. */
const GONE: Outcome = { answer: { status: 409, headers: [], body: new Uint8Array() }, keptBytes: 0 };

export function createAnswerStore(nowMs: NowMs): AnswerStore {
  /** Requests whose payment is being verified: many of them drop no answer that was paid for. */
  const beginning = new Map<string, Promise<HttpAnswer | undefined>>();
  const entries = new Map<string, Entry>();
  let bytes = 0;

  function forget(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }
  function note(key: string, entry: Entry, stage: Stage, kept: number): void {
    entry.stage = stage;
    if (entries.get(key) !== entry) return;
    bytes += kept - entry.bytes;
    entry.bytes = kept;
  }
  function shrink(): void {
    for (const [key, { untilMs, stage }] of entries) {
      if (untilMs > nowMs()) break;
      if (stage !== 'running') forget(key);
    }
    for (const dropped of DROPPED)
      for (const [key, { stage }] of entries) {
        if (entries.size <= MAX_ENTRIES && bytes <= MAX_BYTES) return;
        if (stage === dropped) forget(key);
      }
  }
  async function begun(key: string, begin: () => Promise<Begun>): Promise<HttpAnswer | undefined> {
    try {
      const taken = await begin();
      if (!taken.ok) return taken.answer;
      const current = taken.serve();
      // Whoever waits for it hears of the error.
      current.catch(() => {});
      entries.set(key, {
        untilMs: nowMs() + LIFE_MS,
        current,
        stage: 'running',
        bytes: 0,
        ticket: undefined,
        handed: undefined,
      });
      return undefined;
    } finally {
      beginning.delete(key);
    }
  }
  async function outcomeOf(key: string, entry: Entry): Promise<Outcome> {
    const seen = entry.current;
    try {
      const outcome = await seen;
      if (entry.current === seen && entry.stage === 'running') {
        entry.ticket ??= outcome.pending?.ticket;
        note(key, entry, outcome.pending ? 'pending' : outcome.isPaid ? 'kept' : 'over', outcome.keptBytes);
        shrink();
      }
      return outcome;
    } catch (error) {
      if (entries.get(key) === entry) forget(key);
      throw error;
    }
  }
  async function resumed(key: string, entry: Entry): Promise<void> {
    const seen = entry.current;
    const { pending } = await outcomeOf(key, entry);
    // One of those who wait asks again for all.
    if (pending === undefined || entry.current !== seen) return;
    entry.stage = 'running';
    // Where asking fails it is as pending as before.
    entry.current = pending.resume().catch(() => seen);
  }
  async function hand({ key, hasSecret }: KeptRequest, entry: Entry): Promise<HandedAnswer | undefined> {
    const outcome = await outcomeOf(key, entry);
    if (outcome === GONE) return undefined;
    const { answer, isPaid, pending } = outcome;
    if (hasSecret || (isPaid === undefined && pending === undefined)) return { answer, arrived: () => {} };
    while (entry.handed !== undefined) {
      const before = entry.handed;
      if (await before) return undefined;
      if (entry.handed === before) entry.handed = undefined;
    }
    let resolve: (whole: boolean) => void = () => {};
    entry.handed = new Promise((settle) => {
      resolve = settle;
    });
    const timer = setTimeout(() => resolve(false), ARRIVAL_MS);
    // Where there is Node: a process that has nothing else to do may end.
    if (typeof timer === 'object') timer.unref();
    const arrived = (whole: boolean) => {
      clearTimeout(timer);
      resolve(whole);
      if (!whole) return;
      entry.handed = Promise.resolve(true);
      if (pending !== undefined) return;
      // What stays says that the payment is spent.
      entry.current = Promise.resolve(GONE);
      note(key, entry, 'over', 0);
    };
    return { answer, arrived };
  }
  async function handAgain(request: KeptRequest, entry: Entry): Promise<HandedAnswer | undefined> {
    await resumed(request.key, entry);
    return hand(request, entry);
  }
  return {
    answer: async (request, begin) => {
      const { key } = request;
      shrink();
      const known = entries.get(key);
      if (known !== undefined) return handAgain(request, known);
      const running = beginning.get(key) ?? begun(key, begin);
      const isFirst = !beginning.has(key);
      if (isFirst) beginning.set(key, running);
      const refused = await running;
      if (refused !== undefined) return { answer: refused, arrived: () => {} };
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      return isFirst ? hand(request, entry) : handAgain(request, entry);
    },
    answerTicket: async (ticket) => {
      shrink();
      for (const [key, entry] of entries)
        if (entry.ticket === ticket) return handAgain({ key, hasSecret: true }, entry);
      return undefined;
    },
  };
}
