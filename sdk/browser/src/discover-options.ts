import type { Ports } from './ports.ts';

export type DiscoverOptions = {
  readonly signal?: AbortSignal;
  /** Extensions answer at once; this is for those that load late. 200 ms unless told. */
  readonly waitMs?: number;
  readonly ports?: Pick<Ports, 'sleep'>;
};
