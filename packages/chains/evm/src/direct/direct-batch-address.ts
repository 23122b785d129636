// Where `DirectBatch` is: it has no constructor arguments, so CREATE2 gives it one address on every chain.
import type { Address } from 'viem';

/** The salt is the hash of this label. */
export const DIRECT_BATCH_LABEL = 'direct-batch';

/** Written out, so that lanes need not load the creation code. A changed contract has another address. */
export const DIRECT_BATCH_ADDRESS: Address = '0x99bd6B6405669f875ba21CA0F7607f7b07C00E96';
