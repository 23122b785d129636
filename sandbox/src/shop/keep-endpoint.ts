// Creates the webhook endpoint once, and stores its secret, which is shown only once. A new port only changes its URL.
import type { Database } from '@svc-pay/postgres';
import { orThrow, type SvcPay } from '@svc-pay/server';
import { HEARD } from './hear-events.ts';

/** Returns the secret that signs deliveries to `url`. */
export async function keepEndpoint(svc: SvcPay, { pool }: Pick<Database, 'pool'>, url: string): Promise<string> {
  const { rows } = await pool.query<{ id: string; secret: string }>('select id, secret from endpoint');
  const [kept] = rows;
  if (kept !== undefined) {
    const moved = await svc.endpoints.update(kept.id, { url });
    if (moved.ok) return kept.secret;
    // `not_found`: the endpoint belongs to another service than this one, so a new one is created.
    if (moved.code !== 'not_found') throw new Error(`endpoint ${kept.id} can't be moved to ${url}: ${moved.code}`);
  }
  const { endpoint, secret } = orThrow(await svc.endpoints.create({ url, eventTypes: [...HEARD] }));
  if (secret === null) throw new Error(`endpoint ${endpoint.id} was created and its secret was not answered`);
  await pool.query('delete from endpoint');
  await pool.query('insert into endpoint (id, secret) values ($1, $2)', [endpoint.id, secret]);
  return secret;
}
