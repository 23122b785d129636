import { type PayoutActivation, storedActivation } from '@svc-pay/core';
import type pg from 'pg';

export type DirectPayoutOptions = {
  /** Default: the time of the signatures. */
  readonly activeFromMs?: number;
  readonly status?: 'active' | 'disabled';
  readonly createdAtMs?: number;
};

/** Writes the row as the command does, without a check of the signatures. Account and mode must exist. */
export async function seedDirectPayout(
  pool: pg.Pool | pg.ClientBase,
  activation: PayoutActivation,
  { activeFromMs, status = 'active', createdAtMs }: DirectPayoutOptions = {},
): Promise<void> {
  const signedAtMs = Number(activation.signedAtSeconds) * 1_000;
  await pool.query(
    `insert into svc.payouts (account_id, mode, network, payout_id, processor, merchant, fee_bps, status, created_at,
       kind, asset, activation, active_from)
     values ($1, $2, $3, $4, $5, $5, 0, $6, $7, 'direct', $8, $9, $10)`,
    [
      activation.accountId,
      activation.mode,
      activation.network,
      activation.number.toString(),
      activation.wallet,
      status,
      new Date(createdAtMs ?? signedAtMs),
      activation.asset,
      JSON.stringify(storedActivation(activation)),
      new Date(activeFromMs ?? signedAtMs),
    ],
  );
}
