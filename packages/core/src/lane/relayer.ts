import type { Mode } from '../account/mode.ts';
import type { Lane } from './lane.ts';

export type NewRelayer = Lane & {
  readonly mode: Mode;
  /** `settle`: queued payments. `resolve_stranded`: stranded transfers. */
  readonly duty: 'settle' | 'resolve_stranded';
};

/**
 * An existing lane is left unchanged, and the chain is not asked: its nonces are counted in the database. A new lane
 * starts at the chain's nonce of its key.
 */
export type RegisterRelayer = (relayer: NewRelayer, readNonce: () => Promise<bigint>) => Promise<void>;
