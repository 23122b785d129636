// What is known about an account's direct payouts when one is activated.
import {
  type ActivationFacts,
  type NextActivation,
  PAYOUT_STATUS,
  type StoredDirectPayout,
  type WalletInUse,
} from '@svc-pay/core';
import type pg from 'pg';
import { loadInstallationId } from '../database/load-installation.ts';
import { sqlIsNot } from '../database/status-sql.ts';
import { readDirect } from './direct-columns.ts';

const IN_FORCE = `kind = 'direct' and status ${sqlIsNot(PAYOUT_STATUS.disabled)}`;

/** Throws for a row that is not of the form that we write: somebody must look at it before anything is activated. */
export async function loadActivationFacts(
  client: pg.Pool | pg.ClientBase,
  wanted: NextActivation,
  { nowMs, delayMs }: Pick<ActivationFacts, 'nowMs' | 'delayMs'>,
): Promise<ActivationFacts> {
  const { accountId, mode, network, asset, wallet } = wanted;
  const { rows: highest } = await client.query<{ number: string }>(
    `select coalesce(max(payout_id), 0)::text as number from svc.payouts where network = $1 and kind = 'direct'`,
    [network],
  );
  const { rows: own } = await client.query<{ activation: unknown; active_from: Date; payout_id: string }>(
    `select activation, active_from, payout_id from svc.payouts
     where account_id = $1 and mode = $2 and network = $3 and asset = $4 and ${IN_FORCE}
     order by payout_id desc limit 1`,
    [accountId, mode, network, asset],
  );
  const { rows: uses } = await client.query<{ activation: unknown; payout_id: string }>(
    `select activation, payout_id from svc.payouts where network = $1 and processor = $2 and ${IN_FORCE}`,
    [network, wallet],
  );
  const read = (row: { activation: unknown; payout_id: string }) => {
    const { direct } = readDirect({ kind: 'direct', activation: row.activation });
    if (direct === undefined)
      throw new Error(`the activation of direct payout ${row.payout_id} of ${network} is unreadable`);
    return direct;
  };
  const [newest] = own.map(
    (row): StoredDirectPayout => ({ activation: read(row), activeFromMs: row.active_from.getTime() }),
  );
  return {
    installation: await loadInstallationId(client),
    newest,
    highestNumber: BigInt(highest[0]?.number ?? 0),
    walletInUse: uses.map((row): WalletInUse => read(row)),
    nowMs,
    delayMs,
  };
}
