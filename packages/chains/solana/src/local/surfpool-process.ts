// Surfpool in its own process. Its events must be drained all the time, or it freezes after some thousand of them; a
// busy test process would drain them too late. This process ends with its parent.
import { createRequire } from 'node:module';
import { SURFPOOL_PACKAGE } from './has-local-chain.ts';
import type { SurfpoolAnswer, SurfpoolCall, SurfpoolReady } from './run-surfpool.ts';

type Surfnet = {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly drainEvents: () => unknown;
  readonly stop: () => void;
} & Readonly<Record<SurfpoolCall['name'], (...given: readonly unknown[]) => unknown>>;
type Sdk = { readonly Surfnet: { readonly startWithConfig: (config: unknown) => Surfnet } };

const DRAIN_EVERY_MS = 50;
const { Surfnet } = createRequire(import.meta.url)(SURFPOOL_PACKAGE) as Sdk;

const slotTimeMs = Number(process.argv[2] ?? '400');
const surfnet = Surfnet.startWithConfig({ offline: true, blockProductionMode: 'clock', slotTimeMs });
setInterval(() => surfnet.drainEvents(), DRAIN_EVERY_MS);

const tell = (message: SurfpoolReady | SurfpoolAnswer) => process.send?.(message);
process.on('message', ({ id, name, given }: SurfpoolCall) => {
  try {
    surfnet[name](...given);
    tell({ id });
  } catch (problem) {
    tell({ id, problem: problem instanceof Error ? problem.message : String(problem) });
  }
});
process.on('disconnect', () => {
  surfnet.stop();
  process.exit(0);
});
// Ctrl-C at a terminal reaches every process; Surfpool must keep running while the others stop.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
tell({ rpcUrl: surfnet.rpcUrl, wsUrl: surfnet.wsUrl });
