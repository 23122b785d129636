// The Internet Computer's hash trees: what a certificate signs is the root hash, and a witness shows some paths of the tree
// and only the hashes of the rest.
import { hash } from 'node:crypto';

/** A leaf, or children by label. */
export type State = Uint8Array | ReadonlyMap<string, State>;

export type HashTree =
  | readonly [0]
  | readonly [1, HashTree, HashTree]
  | readonly [2, Uint8Array, HashTree]
  | readonly [3, Uint8Array]
  | readonly [4, Uint8Array];

export type StatePath = readonly Uint8Array[];

/** A built tree that knows the hash of each of its nodes. */
type Node = { readonly hash: Uint8Array } & (
  | { readonly kind: 'empty' }
  | { readonly kind: 'fork'; readonly left: Node; readonly right: Node }
  | { readonly kind: 'labeled'; readonly label: Uint8Array; readonly child: Node }
  | { readonly kind: 'leaf'; readonly value: Uint8Array }
);

/** Children by label. Labels are bytes; a map wants text, so hex stands for them. */
export const labels = (...children: readonly (readonly [string | Uint8Array, State | undefined])[]): State =>
  new Map(
    children.flatMap(([label, state]) => (state === undefined ? [] : [[Buffer.from(label).toString('hex'), state]])),
  );

export const labelOf = (text: string): Uint8Array => Buffer.from(text);

export class BuiltTree {
  readonly #root: Node;

  constructor(state: State) {
    this.#root = build(state);
  }

  get rootHash(): Uint8Array {
    return this.#root.hash;
  }

  /** The tree with these paths, and everything below them, to be seen; or that they are absent. */
  witness(paths: readonly StatePath[]): HashTree {
    return reveal(this.#root, paths);
  }
}

const NODES = new WeakMap<object, Node>();

/** A state that was built before is built no more: states are never changed, only replaced. */
function build(state: State): Node {
  const known = NODES.get(state);
  if (known !== undefined) return known;
  const node = state instanceof Uint8Array ? leaf(state) : fork(childrenOf(state));
  NODES.set(state, node);
  return node;
}

function childrenOf(state: ReadonlyMap<string, State>): Node[] {
  // Sorted hex is sorted bytes.
  return [...state.keys()].sort(byText).map((key) => {
    const child = build(state.get(key) ?? new Uint8Array());
    const label = Buffer.from(key, 'hex');
    return { kind: 'labeled', label, child, hash: tagged('ic-hashtree-labeled', label, child.hash) };
  });
}

const byText = (one: string, other: string) => (one < other ? -1 : 1);

function leaf(value: Uint8Array): Node {
  return { kind: 'leaf', value, hash: tagged('ic-hashtree-leaf', value) };
}

function fork(children: readonly Node[]): Node {
  const [only, ...more] = children;
  if (only === undefined) return { kind: 'empty', hash: tagged('ic-hashtree-empty') };
  if (more.length === 0) return only;
  const half = children.length >> 1;
  const [left, right] = [fork(children.slice(0, half)), fork(children.slice(half))];
  return { kind: 'fork', left, right, hash: tagged('ic-hashtree-fork', left.hash, right.hash) };
}

function reveal(node: Node, paths: readonly StatePath[]): HashTree {
  if (paths.length === 0) return [4, node.hash];
  if (paths.some((path) => path.length === 0)) return whole(node);
  if (node.kind === 'leaf') return [4, node.hash];
  return revealChildren(node, wantedChildren(node, paths));
}

/**
 * Which children to show, by label in hex, with the paths below each. A label that is not there is proven absent by its two
 * neighbours, which are shown without what is below them.
 */
function wantedChildren(node: Node, paths: readonly StatePath[]): Map<string, StatePath[]> {
  const there = labelsOf(node);
  const wanted = new Map<string, StatePath[]>();
  const show = (label: string | undefined, below: readonly StatePath[]) => {
    if (label !== undefined) wanted.set(label, [...(wanted.get(label) ?? []), ...below]);
  };
  for (const [first, ...rest] of paths) {
    const label = Buffer.from(first ?? []).toString('hex');
    const after = there.findIndex((other) => other >= label);
    if (there[after] === label) show(label, [rest]);
    else for (const neighbour of [after === -1 ? there.at(-1) : there[after - 1], there[after]]) show(neighbour, []);
  }
  return wanted;
}

function labelsOf(node: Node): string[] {
  if (node.kind === 'fork') return [...labelsOf(node.left), ...labelsOf(node.right)];
  return node.kind === 'labeled' ? [Buffer.from(node.label).toString('hex')] : [];
}

function revealChildren(node: Node, wanted: ReadonlyMap<string, readonly StatePath[]>): HashTree {
  if (node.kind === 'empty') return [0];
  if (node.kind === 'labeled') {
    const below = wanted.get(Buffer.from(node.label).toString('hex'));
    return below === undefined ? [4, node.hash] : [2, node.label, reveal(node.child, below)];
  }
  if (node.kind === 'leaf') return [4, node.hash];
  const [left, right] = [revealChildren(node.left, wanted), revealChildren(node.right, wanted)];
  return left[0] === 4 && right[0] === 4 ? [4, node.hash] : [1, left, right];
}

function whole(node: Node): HashTree {
  if (node.kind === 'fork') return [1, whole(node.left), whole(node.right)];
  if (node.kind === 'labeled') return [2, node.label, whole(node.child)];
  return node.kind === 'leaf' ? [3, node.value] : [0];
}

function tagged(domain: string, ...parts: readonly Uint8Array[]): Uint8Array {
  return hash('sha256', Buffer.concat([Uint8Array.of(domain.length), Buffer.from(domain), ...parts]), 'buffer');
}
