// A killed chain may have lost its last minute, or everything, while the database still has what was settled there. The
// world must not go on then: nonces would not match, and completed payments would be missing on chain.

import { RECORDED_BATCH } from '@svc-pay/core';
import { openAccount } from '@svc-pay/evm';
import type { LocalChain } from '@svc-pay/evm/local';
import type { DevDatabase } from './start-database.ts';

/** True if the chain has every transaction that the database recorded as mined. */
export async function chainFitsDatabase(
  { pool }: Pick<DevDatabase, 'pool'>,
  { network, rpcUrl, keys }: LocalChain,
): Promise<boolean> {
  const { rows } = await pool.query<{ relayer: string; count: string }>(
    `select relayer, (max(nonce) + 1)::text as count from svc.batches
     where network = $1 and status = any ($2) group by relayer`,
    [network, RECORDED_BATCH],
  );
  const chain = await openAccount({ rpcUrl, privateKey: keys.faucet.privateKey });
  const fits = rows.map(async ({ relayer, count }) => {
    const sent = await chain.getTransactionCount({ address: relayer as `0x${string}` });
    return BigInt(sent) >= BigInt(count);
  });
  return (await Promise.all(fits)).every(Boolean);
}
