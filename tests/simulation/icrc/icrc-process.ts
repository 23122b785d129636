// The part of a settlement process that is about token ledgers, as services/settlement puts it together: the reader, notify, and
// the expiry of intents. The adapter asks simulated boundaries, one after the other, and believes what is certified.
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ChainUnavailable,
  createTokenLedgerReader,
  type IcrcChain,
  type IcrcLimits,
  type IcrcStore,
  type NotifyTransfer,
} from '@svc-pay/core';
import { createMemoryIcrcStore, expireLedgerIntents, type Statement, type Tables } from '@svc-pay/core/testing';
import type { NetworkId } from '@svc-pay/protocol';
import { createTransferNotify } from '@svc-pay/settlement/notify';
import type { MortalProcess } from '../runtime/mortal-process.ts';
import type { Ask } from '../world/ask.ts';
import type { Host } from '../world/fake-engine.ts';
import { statementBy } from '../world/settlement-process.ts';
import type { Simulation } from '../world/simulation.ts';
import type { BlocksCall, Boundary, CertifiedAnswer } from './simulated-token-ledger.ts';

export type IcrcBug = {
  readonly store?: (store: IcrcStore, given: { readonly tables: Tables; readonly statement: Statement }) => IcrcStore;
  readonly chain?: (chain: IcrcChain, tables: Tables) => IcrcChain;
  /** What the adapter looks at instead of the whole certificate. */
  readonly isCertified?: (answer: CertifiedAnswer, call: BlocksCall) => boolean;
  /** A call has no end of its own. */
  readonly waitsForEver?: true;
  readonly expire?: (tables: Tables, nowMs: number) => void;
};

export type IcrcGround = {
  readonly network: NetworkId;
  readonly ledger: string;
  readonly boundaries: readonly Boundary[];
};

const CALL_TIMEOUT_MS = 3_000;
const SLOW_MS = 2_500;
const EXPIRY_MS = 3_000;
const LIMITS: IcrcLimits = { everyMs: 2_000, perRun: 9, perCall: 5, applied: 6 };

const isCertified = ({ certificate }: CertifiedAnswer, { nonce }: BlocksCall): boolean =>
  certificate.isSigned && certificate.nonce === nonce;

/** `open` gets the process's notify. */
export function icrcWork(
  simulation: Simulation,
  ground: IcrcGround,
  process: MortalProcess,
  ask: Ask,
  open: (notify: NotifyTransfer) => void,
  bug: IcrcBug = {},
): Pick<Host, 'drains' | 'jobs'> {
  const { clock, tables, note, strikes } = simulation;
  const statement = statementBy(ask);
  const usual = createMemoryIcrcStore(tables, statement);
  const locking: IcrcStore = {
    ...usual,
    apply: (transfer, nowMs) => {
      if (!strikes('row locked', 0.08)) return usual.apply(transfer, nowMs);
      note(process.name, 'finds a row of another transaction');
      return statement('applyTransfer', () => ({ outcome: 'waits', reason: 'locked' }) as const);
    },
  };
  const icrc = bug.store?.(locking, { tables, statement }) ?? locking;
  const asked = createAdapter(simulation, ground, process, ask, bug);
  const chain = bug.chain?.(asked, tables) ?? asked;
  const log = (event: string, details: object) => note(process.name, `${event} ${wordsOf(details)}`);
  const onProblem = (problem: unknown) => note(process.name, `notify fails: ${String(problem)}`);
  const notify = createTransferNotify({ icrc, chains: [chain], clock, log, onProblem });
  const inProcess = AsyncLocalStorage.snapshot();
  open((notified) => inProcess(notify, notified));
  const expire = bug.expire ?? expireLedgerIntents;
  const expiry = {
    name: 'intent-expiry',
    everyMs: EXPIRY_MS,
    run: async () => {
      await statement('expireIntents', () => expire(tables, clock.nowMs()));
    },
  };
  return { drains: [], jobs: [createTokenLedgerReader(chain, { icrc, clock, log }, LIMITS), expiry] };
}

function createAdapter(
  { timeline, dice, note }: Simulation,
  { network, ledger, boundaries }: IcrcGround,
  process: MortalProcess,
  ask: Ask,
  bug: IcrcBug,
): IcrcChain {
  let calls = 0;
  let first = 0;
  const after = (delayMs: number) =>
    new Promise<void>((resolve) => timeline.after(delayMs, () => process.deliver(() => resolve())));
  const post = async (boundary: Boundary, call: BlocksCall): Promise<CertifiedAnswer> => {
    const mood = boundary.mood();
    if (mood === 'silent') {
      await (bug.waitsForEver ? new Promise<never>(() => {}) : after(CALL_TIMEOUT_MS));
      throw new ChainUnavailable(`${boundary.name} gave no answer in time`);
    }
    const question = { to: 'node', what: `${boundary.name} blocks`, changes: false } as const;
    const answer = await ask(
      question,
      () => {
        if (mood === 'unreachable') throw new ChainUnavailable(`${boundary.name} is unreachable`);
        return boundary.answer(call);
      },
      () => new ChainUnavailable('reset'),
    );
    if (mood === 'slow') await after(dice.roll() * SLOW_MS);
    return answer;
  };
  return {
    network,
    ledgers: [ledger],
    facts: () => Promise.reject(new Error('facts are not asked here')),
    blocksAt: () => Promise.reject(new Error('blocks are asked in their order here')),
    blocks: async (_, start, count) => {
      for (let tried = 0; tried < boundaries.length; tried += 1) {
        const boundary = boundaries[(first + tried) % boundaries.length];
        if (boundary === undefined) continue;
        calls += 1;
        const call = { nonce: `${process.name} ${calls}`, start, count };
        try {
          const answer = await post(boundary, call);
          if ((bug.isCertified ?? isCertified)(answer, call)) return answer.told;
          note(process.name, `refuses what ${boundary.name} hands it: ${boundary.mood()}`);
        } catch (problem) {
          if (!(problem instanceof ChainUnavailable)) throw problem;
        }
        first = (boundaries.indexOf(boundary) + 1) % boundaries.length;
      }
      throw new ChainUnavailable('no boundary gives a certified answer');
    },
  };
}

const wordsOf = (details: object): string =>
  JSON.stringify(details, (_, field: unknown) => {
    if (typeof field === 'bigint') return field.toString();
    return field instanceof Error ? field.message : field;
  });
