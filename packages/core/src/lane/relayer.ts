import type { Mode } from '../account/mode.ts';
import type { Lane } from './lane.ts';

/** `settle`: queued payments. `resolve_stranded`: stranded transfers. */
export type RelayerDuty = 'settle' | 'resolve_stranded';

export type NewRelayer = Lane & { readonly mode: Mode; readonly duty: RelayerDuty };

/**
 * An existing lane is left unchanged, and the chain is not asked: its nonces are counted in the database. A new lane
 * starts at the chain's nonce of its key.
 */
export type RegisterRelayer = (relayer: NewRelayer, readNonce: () => Promise<bigint>) => Promise<void>;
