// The chain reader as services/settlement puts it together, in a process of its own. Only what lies behind the ports is
// simulated.
import {
  ChainUnavailable,
  createChainReader,
  type ReaderChain,
  type ReaderLimits,
  type ReaderNode,
  type ReaderStore,
} from '@svc-pay/core';
import { createMemoryReaderStore, type Statement, type Tables } from '@svc-pay/core/testing';
import type { NetworkId } from '@svc-pay/protocol';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import type { SimulatedReaderNode } from '../chain/simulated-reader-node.ts';
import type { MortalProcess } from '../runtime/mortal-process.ts';
import type { Ask } from './ask.ts';
import type { Host } from './fake-engine.ts';
import { createMemoryApply } from './memory-apply.ts';
import type { ReaderWitness } from './reader-witness.ts';
import { statementBy } from './settlement-process.ts';
import type { Simulation } from './simulation.ts';

type ReaderParts = { readonly reader: ReaderStore; readonly node: (node: ReaderNode) => ReaderNode };
export type ReaderBug = {
  readonly parts?: (
    parts: ReaderParts,
    given: { readonly tables: Tables; readonly chain: SimulatedChain; readonly statement: Statement },
  ) => ReaderParts;
  readonly appliesAgain?: true;
};

const RPC_TIMEOUT_MS = 3_000;
const LIMITS: ReaderLimits = {
  everyMs: 2_000,
  firstRange: 4,
  maxRange: 16,
  manyLogs: 12,
  maxRanges: 12,
  headDepth: 0,
  claimMs: 1_000,
  pageSize: 7,
  maxPages: 10,
  laneMs: 30_000,
};

export function readerWork(
  simulation: Simulation,
  network: NetworkId,
  chain: SimulatedChain,
  nodes: readonly SimulatedReaderNode[],
  witness: ReaderWitness,
  process: MortalProcess,
  ask: Ask,
  bug: ReaderBug = {},
): Pick<Host, 'drains' | 'jobs'> {
  const { clock, tables, note, timeline } = simulation;
  const statement = statementBy(ask);
  const askNode = <Answer>(node: SimulatedReaderNode, what: string, action: () => Answer): Promise<Answer> => {
    if (node.mood() !== 'silent') {
      const question = { to: 'node', what: `${node.name} ${what}`, changes: false } as const;
      return ask(question, action, () => new ChainUnavailable('reset'));
    }
    return new Promise<never>((_, reject) => {
      const late = () => reject(new ChainUnavailable('no answer in time'));
      timeline.after(RPC_TIMEOUT_MS, () => process.deliver(late));
    });
  };
  const nodeOf = (node: SimulatedReaderNode): ReaderNode => ({
    readHeads: () => askNode(node, 'heads', node.heads),
    readBlocks: (numbers) => askNode(node, 'blocks', () => node.blocks(numbers)),
    readLogs: (range, sources) => askNode(node, 'logs', () => node.logs(range, sources)),
    readEvidence: (uses) => askNode(node, 'evidence', () => node.evidence(uses)),
    readReceived: async (logs) => logs.map(() => undefined),
  });
  const store = createMemoryReaderStore(tables, statement);
  const watched: ReaderStore = {
    ...store,
    passBlocks: async (pass) => {
      const passed = await store.passBlocks(pass);
      if (passed) witness.passed(pass);
      return passed;
    },
  };
  const whole: ReaderParts = { reader: watched, node: (node) => node };
  const parts = bug.parts?.(whole, { tables, chain, statement }) ?? whole;
  const readerChain: ReaderChain = { network, nodes: async () => nodes.map((node) => parts.node(nodeOf(node))) };
  const job = createChainReader(
    readerChain,
    {
      reader: parts.reader,
      apply: createMemoryApply(tables, statement, { onApplied: witness.applied, isUnique: !bug.appliesAgain }),
      clock,
      log: (event, details) => note(process.name, `${event} ${JSON.stringify(details)}`),
      metrics: { blocksPassed: () => {}, blocksBehind: () => {}, rewound: () => {}, logApplied: () => {} },
    },
    LIMITS,
  );
  return { drains: [], jobs: [job] };
}
