// The chain reader's part of a run: its nodes, which see blocks at their own times and tell the truth or not, and its
// processes. Its chances are its own: with or without it, everything else happens as before.

import { ofNetwork } from '@svc-pay/core/testing';
import type { NetworkId } from '@svc-pay/protocol';
import { PROCESSOR, TOKEN } from '../chain/chain-state.ts';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import { createReaderNode, type SimulatedReaderNode } from '../chain/simulated-reader-node.ts';
import type { Inside } from '../runtime/take-runtime.ts';
import { createFakeEngine } from './fake-engine.ts';
import { keepRunning } from './keep-running.ts';
import { type ReaderBug, readerWork } from './reader-process.ts';
import { createReaderWitness, type ReaderWitness } from './reader-witness.ts';
import type { FaultKind, Simulation } from './simulation.ts';

export type ReaderWorld = Pick<ReaderWitness, 'isDone' | 'setBack' | 'check'> & {
  readonly start: () => void;
  readonly stop: () => void;
  /** A block was mined. */
  readonly spread: () => void;
  /** From now on all nodes are well. */
  readonly calm: () => void;
};

const EVERY_MS = 900;
/** A share of the runs has one node only: it lags and is silent at times, and tells the truth. */
const ALONE = 0.2;

export function createReaderWorld(
  whole: Simulation,
  context: Inside,
  network: NetworkId,
  chain: SimulatedChain,
  dead: Set<string>,
  bug: ReaderBug | undefined,
): ReaderWorld {
  const simulation = whole.apart();
  const { dice, tables, timeline } = simulation;
  const names = dice.roll() < ALONE ? ['reader-node-1'] : ['reader-node-1', 'reader-node-2', 'reader-node-3'];
  const nodes = names.map((name) => createReaderNode(name, dice, chain.blocks()));
  const start = { firstBlock: chain.head().number + 1n, offeredAtSeconds: undefined };
  tables.offeredSources.set(ofNetwork(network, PROCESSOR), { address: PROCESSOR, kind: 'processor', ...start });
  tables.offeredSources.set(ofNetwork(network, TOKEN), { address: TOKEN, kind: 'token', ...start });
  const witness = createReaderWitness(simulation, chain, nodes);
  const engine = createFakeEngine(simulation, 'reader-engine');
  let started = 0;
  let processes: readonly { readonly stop: () => void }[] = [];
  stirNodes(simulation, nodes);
  return {
    ...witness,
    start: () => {
      processes = [1, 2].map((place) =>
        keepRunning(simulation, context, engine, `reader-${started + place}`, dead, {
          freezeMs: () => 1_000 + dice.roll() * 9_000,
          work: (process, ask) => readerWork(simulation, network, chain, nodes, witness, process, ask, bug),
        }),
      );
      started += 2;
    },
    stop: () => {
      for (const process of processes) process.stop();
    },
    spread: () => {
      const blocks = chain.blocks();
      for (const node of nodes) if (!node.standsStill()) timeline.after(10 + dice.roll() * 400, () => node.see(blocks));
    },
    calm: () => {
      for (const node of nodes) {
        node.setMood('well');
        node.setStill(false);
      }
    },
  };
}

/** At most one node at a time tells what is not so, and at most one is silent: of three, one is honest and answers. */
function stirNodes(
  { timeline, dice, strikes, note, isStorm }: Simulation,
  nodes: readonly SimulatedReaderNode[],
): void {
  const strike = (kind: FaultKind, mood: ReturnType<SimulatedReaderNode['mood']>, among: readonly string[]) => {
    if (nodes.some((node) => among.includes(node.mood())) || !strikes(kind, 0.12)) return;
    const node = dice.pick(nodes);
    if (node.mood() !== 'well') return;
    note(node.name, kind);
    node.setMood(mood);
    timeline.after(1_000 + dice.roll() * 5_000, () => node.setMood('well'));
  };
  const stir = () => {
    if (!isStorm()) return;
    strike('node silent', 'silent', ['silent']);
    if (nodes.length > 1) {
      strike('node drops logs', 'drops logs', ['drops logs', 'lies about logs']);
      strike('node lies about logs', 'lies about logs', ['drops logs', 'lies about logs']);
    }
    if (strikes('node still', 0.12)) {
      const node = dice.pick(nodes);
      note(node.name, 'node still');
      node.setStill(true);
      timeline.after(1_000 + dice.roll() * 5_000, () => node.setStill(false));
    }
    timeline.after(EVERY_MS, stir);
  };
  timeline.after(EVERY_MS, stir);
}
