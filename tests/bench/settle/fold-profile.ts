// A CPU profile as Node writes it, folded into one tree by function: time of its own and of all below it.

export type Frame = {
  readonly name: string;
  /** Where it stands, shortened; empty for the engine's own. */
  readonly place: string;
  selfUs: number;
  totalUs: number;
  readonly below: Map<string, Frame>;
};

type Node = {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
};
export type CpuProfile = {
  readonly nodes: readonly Node[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

/** Without idle time: what is left is what a core did. */
export function foldProfile({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const selfUs = new Map<number, number>();
  for (const [index, id] of samples.entries()) {
    selfUs.set(id, (selfUs.get(id) ?? 0) + Math.max(0, timeDeltas[index] ?? 0));
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const add = (node: Node, into: Frame): number => {
    const { functionName, url, lineNumber } = node.callFrame;
    if (functionName === '(idle)') return 0;
    const name = functionName === '' ? '(anonymous)' : functionName;
    const place = placeOf(url, lineNumber);
    const key = `${name} ${place}`;
    const frame = into.below.get(key) ?? { name, place, selfUs: 0, totalUs: 0, below: new Map() };
    into.below.set(key, frame);
    const own = selfUs.get(node.id) ?? 0;
    let total = own;
    for (const child of node.children ?? []) {
      const below = byId.get(child);
      if (below !== undefined) total += add(below, frame);
    }
    frame.selfUs += own;
    frame.totalUs += total;
    return total;
  };
  const root: Frame = { name: 'all', place: '', selfUs: 0, totalUs: 0, below: new Map() };
  const [top] = nodes;
  for (const child of top?.children ?? []) {
    const node = byId.get(child);
    if (node !== undefined) root.totalUs += add(node, root);
  }
  return root;
}

/** The functions with the most time of their own, wherever they were called from. */
export function heaviest(root: Frame, count: number): readonly { readonly label: string; readonly selfUs: number }[] {
  const own = new Map<string, number>();
  const walk = (frame: Frame) => {
    const label = `${frame.name} ${frame.place}`;
    own.set(label, (own.get(label) ?? 0) + frame.selfUs);
    for (const below of frame.below.values()) walk(below);
  };
  walk(root);
  return [...own]
    .map(([label, selfUs]) => ({ label, selfUs }))
    .toSorted((one, other) => other.selfUs - one.selfUs)
    .slice(0, count);
}

function placeOf(url: string, line: number): string {
  if (url === '' || url.startsWith('node:')) return url;
  const short = url
    .replace(/^file:\/\//, '')
    .replace(/^.*\/node_modules\//, '~')
    .replace(/^.*\/(?=(?:packages|services)\/)/, '');
  return `${short}:${line + 1}`;
}
