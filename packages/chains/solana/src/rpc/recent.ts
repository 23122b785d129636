// The confirmed height and the newest blockhash of a node, remembered for half a slot: payments of one moment share one
// question. For checks that the chain makes again; never for deciding that a transaction is over.
import type { Lifetime, SolanaNode } from './solana-node.ts';

const HALF_SLOT_MS = 200;

type Remembered<Value> = { readonly value: Promise<Value>; readonly untilMs: number };
type Question<Value> = (node: SolanaNode) => Promise<Value>;

/** Is at most half a slot lower than the node's own: what it calls live may have expired for so long. */
export const recentHeight: Question<bigint> = remember((node) => node.blockHeight('confirmed'));

/** For a transaction that is made with it. Of a blockhash from elsewhere it does not tell how long that one lives. */
export const recentLifetime: Question<Lifetime> = remember((node) => node.latestLifetime());

/** Counts from the question, not from the answer. A failure is not remembered. */
export function remember<Value>(ask: Question<Value>, nowMs = () => performance.now()): Question<Value> {
  const known = new WeakMap<SolanaNode, Remembered<Value>>();
  return (node) => {
    const before = known.get(node);
    if (before !== undefined && nowMs() < before.untilMs) return before.value;
    const asked = { value: ask(node), untilMs: nowMs() + HALF_SLOT_MS };
    known.set(node, asked);
    asked.value.catch(() => {
      if (known.get(node) === asked) known.delete(node);
    });
    return asked.value;
  };
}
