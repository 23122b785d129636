import type { Caller } from '@svc-pay/core';
import type { Endpoint } from '@svc-pay/protocol/merchant';
import type pg from 'pg';
import { type Page, pageOf } from '../database/page.ts';
import { ENDPOINT_COLUMNS, type EndpointRow, endpointOf } from './endpoint-row.ts';

export async function loadEndpoint(
  connection: pg.Pool | pg.ClientBase,
  { accountId, mode }: Caller,
  endpointId: string,
  nowMs: number,
): Promise<Endpoint | undefined> {
  const { rows } = await connection.query<EndpointRow>(
    `select ${ENDPOINT_COLUMNS} from svc.endpoints
     where account_id = $1 and mode = $2 and id = $3 and status <> 'deleted'`,
    [accountId, mode, endpointId],
  );
  return rows[0] && endpointOf(rows[0], nowMs);
}

/** Newest first. */
export async function listEndpoints(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  limit: number,
  before: string | undefined,
  nowMs: number,
): Promise<Page<Endpoint>> {
  const { rows } = await pool.query<EndpointRow>(
    `select ${ENDPOINT_COLUMNS} from svc.endpoints
     where account_id = $1 and mode = $2 and status <> 'deleted' and ($3::text is null or id < $3)
     order by id desc limit $4`,
    [accountId, mode, before ?? null, limit + 1],
  );
  return pageOf(rows, limit, (row) => endpointOf(row, nowMs));
}
