// What goes wrong around the processes: nodes, the chain itself, the engines. What goes wrong inside of them is in ask.ts.
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import type { SimulatedNode } from '../chain/simulated-node.ts';
import type { FakeEngine } from './fake-engine.ts';
import type { FaultKind, Simulation } from './simulation.ts';

const EVERY_MS = 700;
const GWEI = 1_000_000_000n;

export function stirTrouble(
  { timeline, dice, strikes, note, isStorm }: Simulation,
  chain: SimulatedChain,
  nodes: readonly SimulatedNode[],
  engines: readonly FakeEngine[],
): void {
  const forAWhile = (kind: FaultKind, on: (node: SimulatedNode) => void, off: (node: SimulatedNode) => void) => {
    if (!strikes(kind, 0.07)) return;
    const node = dice.pick(nodes);
    note(node.name, kind);
    on(node);
    timeline.after(500 + dice.roll() * 5_000, () => off(node));
  };
  const well = (node: SimulatedNode) => node.setMood('well');
  const stir = () => {
    if (!isStorm()) return;
    forAWhile('node silent', (node) => node.setMood('silent'), well);
    forAWhile('node swallows', (node) => node.setMood('swallows'), well);
    forAWhile('node denies', (node) => node.setMood('denies'), well);
    forAWhile(
      'node still',
      (node) => node.setStill(true),
      (node) => node.setStill(false),
    );
    const busy =
      chain.blocks().length > 6 &&
      chain
        .blocks()
        .slice(-3)
        .some(({ transactions }) => transactions.length > 0);
    if (busy && strikes('reorg', 0.3)) chain.reorganise(1 + Math.floor(dice.roll() * 3));
    if (strikes('pool drop', 0.1)) note('pool', `drops ${chain.dropFromPool(3)}`);
    if (strikes('gas spike', 0.05)) {
      note('chain', 'gas spike');
      chain.setBaseFee(GWEI * BigInt(3 + Math.floor(dice.roll() * 40)));
      timeline.after(2_000 + dice.roll() * 8_000, () => chain.setBaseFee(GWEI));
    }
    if (strikes('key used elsewhere', 0.02)) chain.useKey(dice.pick([...chain.head().state.nonces.keys()]));
    if (strikes('engine restart', 0.06)) dice.pick(engines).restart();
    if (strikes('engine forgets', 0.03)) dice.pick(engines).forget();
    timeline.after(EVERY_MS, stir);
  };
  timeline.after(EVERY_MS, stir);
}
