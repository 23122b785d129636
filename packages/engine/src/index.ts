export type { Drain, Next } from './drain.ts';
export { type EngineWork, type EngineWorkOptions, serveEngineWork } from './serve.ts';
export { createWakeDrain } from './wake.ts';
