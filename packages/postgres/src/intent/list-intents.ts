import type { Mode } from '@svc-pay/core';
import type pg from 'pg';

export type SeenIntent = {
  readonly id: string;
  readonly status: string;
  readonly isUpto: boolean;
  /** The requested amount; the cap for an up-to intent. */
  readonly amount: string;
  readonly tokenShortcode: string;
  readonly description: string | null;
  readonly createdAt: Date;
};

const LATEST = `
  select id, status, x402_upto as "isUpto", amount::text, token_shortcode as "tokenShortcode", description,
    created_at as "createdAt"
  from svc.intents where account_id = $1 and mode = $2 order by id desc limit $3`;

/** Newest first. */
export async function listIntents(
  pool: pg.Pool,
  { accountId, mode, limit }: { readonly accountId: string; readonly mode: Mode; readonly limit: number },
): Promise<readonly SeenIntent[]> {
  return (await pool.query<SeenIntent>(LATEST, [accountId, mode, limit])).rows;
}
