// Token ledgers as far as they are read, for the operator's command.
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';

export type ReadTokenLedger = {
  readonly network: NetworkId;
  readonly ledger: string;
  readonly nextIndex: bigint;
  readonly lastHash: Uint8Array | null;
  /** When the last reading began that reached the end of the ledger; null where none did. */
  readonly readAtMs: number | null;
  /** Since when the ledger's blocks do not continue what was read; null where they do. */
  readonly stoppedAtMs: number | null;
  /** Transfers that are kept and not applied. */
  readonly waiting: number;
};

type Row = {
  readonly network: NetworkId;
  readonly ledger: string;
  readonly next_index: string;
  readonly last_hash: Buffer | null;
  readonly read_at: Date | null;
  readonly stopped_at: Date | null;
  readonly waiting: number;
};

const REPORT = `
  select network, ledger, next_index, last_hash, read_at, stopped_at, (
      select count(*)::integer from svc.icrc_transfers kept
      where kept.network = cursor.network and kept.ledger = cursor.ledger
    ) as waiting
  from svc.icrc_cursors cursor`;

export async function reportTokenLedgers(pool: pg.Pool): Promise<readonly ReadTokenLedger[]> {
  return (await pool.query<Row>(`${REPORT} order by network, ledger`)).rows.map(ledgerOf);
}

export async function loadTokenLedger(
  client: pg.Pool | pg.ClientBase,
  network: string,
  ledger: string,
): Promise<ReadTokenLedger | undefined> {
  const { rows } = await client.query<Row>(`${REPORT} where network = $1 and ledger = $2`, [network, ledger]);
  return rows.map(ledgerOf)[0];
}

function ledgerOf({ network, ledger, waiting, ...row }: Row): ReadTokenLedger {
  return {
    network,
    ledger,
    nextIndex: BigInt(row.next_index),
    lastHash: row.last_hash,
    readAtMs: row.read_at?.getTime() ?? null,
    stoppedAtMs: row.stopped_at?.getTime() ?? null,
    waiting,
  };
}
