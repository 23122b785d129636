// What `doctor` looks at: every direct payout that is not disabled, and how far the chain reader has read.
import { type Mode, PAYOUT_STATUS, type PayoutActivation } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIsNot } from '../database/status-sql.ts';
import { type DirectColumns, readDirect } from './direct-columns.ts';

export type ReportedDirectPayout = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly network: string;
  readonly payoutId: bigint;
  readonly wallet: string;
  readonly asset: string;
  readonly activeFromMs: number;
  /** Undefined for a row that this release did not write. */
  readonly activation: PayoutActivation | undefined;
};

export type ReportedCursor = {
  readonly network: string;
  readonly address: string;
  readonly kind: 'processor' | 'token';
  readonly blockNumber: bigint;
  readonly blockTimeSeconds: bigint;
};

export type DirectReport = {
  readonly installation: string;
  readonly payouts: readonly ReportedDirectPayout[];
  readonly cursors: readonly ReportedCursor[];
};

type PayoutRow = DirectColumns & {
  readonly account_id: string;
  readonly mode: Mode;
  readonly network: string;
  readonly payout_id: string;
  readonly merchant: string;
  readonly asset: string | null;
  readonly active_from: Date | null;
};

type CursorRow = {
  readonly network: string;
  readonly address: string;
  readonly kind: ReportedCursor['kind'];
  readonly block_number: string;
  readonly block_time: string;
};

export async function reportDirect(pool: pg.Pool): Promise<DirectReport> {
  const { rows: installations } = await pool.query<{ id: string }>('select id from svc.installation');
  const { rows: payouts } = await pool.query<PayoutRow>(
    `select account_id, mode, network, payout_id::text as payout_id, merchant, asset, kind, activation, active_from
     from svc.payouts where kind = 'direct' and status ${sqlIsNot(PAYOUT_STATUS.disabled)}
     order by network, payouts.payout_id`,
  );
  const { rows: cursors } = await pool.query<CursorRow>(
    'select network, address, kind, block_number, block_time from svc.reader_cursors order by network, kind, address',
  );
  return {
    installation: installations[0]?.id ?? '',
    payouts: payouts.map((row) => ({
      accountId: row.account_id,
      mode: row.mode,
      network: row.network,
      payoutId: BigInt(row.payout_id),
      wallet: row.merchant,
      asset: row.asset ?? '',
      activeFromMs: row.active_from?.getTime() ?? 0,
      activation: readDirect(row).direct,
    })),
    cursors: cursors.map(({ network, address, kind, block_number, block_time }) => ({
      network,
      address,
      kind,
      blockNumber: BigInt(block_number),
      blockTimeSeconds: BigInt(block_time),
    })),
  };
}
