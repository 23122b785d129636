// A chain that was killed may have forgotten its last minute, or everything, while the database remembers what was settled
// there. Nothing good comes of going on: nonces would not fit, and completed payments would not be there.

import { openAccount } from '@svc-pay/evm';
import type { LocalChain } from '@svc-pay/evm/local';
import type { DevDatabase } from './start-database.ts';

/** Whether the chain has every transaction that the database saw on it. */
export async function chainFitsDatabase(
  { pool }: Pick<DevDatabase, 'pool'>,
  { network, rpcUrl, keys }: LocalChain,
): Promise<boolean> {
  const { rows } = await pool.query<{ relayer: string; count: string }>(
    `select relayer, (max(nonce) + 1)::text as count from svc.batches
     where network = $1 and status in ('mined', 'finalized') group by relayer`,
    [network],
  );
  const chain = await openAccount({ rpcUrl, privateKey: keys.faucet.privateKey });
  const fits = rows.map(async ({ relayer, count }) => {
    const sent = await chain.getTransactionCount({ address: relayer as `0x${string}` });
    return BigInt(sent) >= BigInt(count);
  });
  return (await Promise.all(fits)).every(Boolean);
}
