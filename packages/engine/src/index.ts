export type { Drain, Next } from './drain.ts';
export type { Pulse } from './pulse.ts';
export { type EngineWork, type EngineWorkOptions, serveEngineWork, wakeDrain } from './serve.ts';
