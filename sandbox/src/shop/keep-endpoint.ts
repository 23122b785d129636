// The endpoint is made once; its secret is shown once and kept with the shop's data. Another port is only another address.
import type { Database } from '@svc-pay/postgres';
import { orThrow, type SvcPay } from '@svc-pay/server';
import { HEARD } from './hear-events.ts';

/** The secret that deliveries to `url` are signed with. */
export async function keepEndpoint(svc: SvcPay, { pool }: Pick<Database, 'pool'>, url: string): Promise<string> {
  const { rows } = await pool.query<{ id: string; secret: string }>('select id, secret from endpoint');
  const [kept] = rows;
  if (kept !== undefined) {
    const moved = await svc.endpoints.update(kept.id, { url });
    if (moved.ok) return kept.secret;
    // Another service than the one it was made with.
    if (moved.code !== 'not_found') throw new Error(`the endpoint can't be moved: ${moved.code}`);
  }
  const { endpoint, secret } = orThrow(await svc.endpoints.create({ url, eventTypes: [...HEARD] }));
  if (secret === null) throw new Error('the endpoint came without its secret');
  await pool.query('delete from endpoint');
  await pool.query('insert into endpoint (id, secret) values ($1, $2)', [endpoint.id, secret]);
  return secret;
}
