// The tables of token ledgers in memory. Keys begin with the network.
import type { NetworkId } from '@svc-pay/protocol';
import type { IcrcTransfer, LaneItem, LedgerCursor, Mode } from '../index.ts';

export type MemoryIcrcCursor = LedgerCursor & {
  readonly stoppedAtMs: number | null;
  readonly readAtMs: number | null;
};

export type MemoryIcrcTransfer = IcrcTransfer & { readonly tries: number; readonly nextTryAtMs: number };

/** A payout whose merchant is an account of token ledgers. */
export type MemoryIcrcPayout = {
  readonly accountId: LaneItem['accountId'];
  readonly mode: Mode;
  readonly network: NetworkId;
  readonly payoutId: bigint;
  readonly merchant: string;
  readonly createdAtMs: number;
};

export type MemoryIcrcTables = {
  readonly icrcPayouts: MemoryIcrcPayout[];
  /** By network and ledger. */
  readonly icrcCursors: Map<string, MemoryIcrcCursor>;
  /** By network and name of the block. */
  readonly icrcTransfers: Map<string, MemoryIcrcTransfer>;
};

export function createIcrcTables(): MemoryIcrcTables {
  return { icrcPayouts: [], icrcCursors: new Map(), icrcTransfers: new Map() };
}
