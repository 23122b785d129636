import type { Clock, FinalityStore } from '@svc-pay/core';
import type { RelayerSigner } from '@svc-pay/solana';
import type pg from 'pg';
import type { SettlementMetrics } from '../observe/settlement-metrics.ts';
import type { OpenNetwork } from '../open-networks.ts';
import type { OpenSolana } from '../solana/open-solana.ts';

export type WatchParts = {
  readonly pool: pg.Pool;
  readonly finality: FinalityStore;
  readonly clock: Clock;
  readonly networks: readonly OpenNetwork[];
  readonly solana: readonly OpenSolana[];
  /** They take back rent that they lent. */
  readonly solanaRelayers: readonly RelayerSigner[];
  readonly health: {
    /** How long a payment may wait, or a transaction fly, before its lane counts as stuck. */
    readonly stuckMs: number;
    /** A relayer whose coins pay for fewer full transactions is reported. */
    readonly lowTransactions: bigint;
  };
  readonly log: (level: 'info' | 'warn' | 'error', details: object, message: string) => void;
  readonly metrics: Pick<SettlementMetrics, 'batchMoved' | 'batchTakenBack'>;
  readonly wake: (drain: string, key: string) => Promise<void>;
};
