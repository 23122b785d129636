import type { BenchProcesses } from '../bench-servers.ts';

export type NodeFronts = {
  readonly urls: readonly [string, ...string[]];
  readonly pid: number;
  /** JSON-RPC calls that went through since the start, by method. */
  readonly calls: () => Promise<Readonly<Record<string, number>>>;
};

type Told = { readonly ports: readonly number[]; readonly calls: Readonly<Record<string, number>> };

export async function startNodeFronts(
  { startOwn }: Pick<BenchProcesses, 'startOwn'>,
  chainUrl: string,
  count: number,
): Promise<NodeFronts> {
  const script = 'tests/bench/meters/node-fronts.ts';
  const { child, port } = await startOwn(script, [new URL(chainUrl).port, String(count)], {});
  const ask = async () => (await (await fetch(`http://127.0.0.1:${port}`)).json()) as Told;
  const [first, ...others] = (await ask()).ports.map((each) => `http://127.0.0.1:${each}`);
  if (first === undefined) throw new Error('a chain has at least one address');
  return { urls: [first, ...others], pid: child.pid ?? 0, calls: async () => (await ask()).calls };
}
