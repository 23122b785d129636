import type pg from 'pg';

/** Until the transaction ends: numbers rise over all accounts of a network, and a wallet is exclusive among them. */
export async function lockDirectPayouts(client: pg.ClientBase, network: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`svc.payouts ${network} direct`]);
}
