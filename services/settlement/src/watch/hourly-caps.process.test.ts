// Hourly caps of a processor: copied from the chain to the table that the API reads.
import { createJsonRpc, DEFAULT_TIP_BOUNDS, evmFitness } from '@svc-pay/evm';
import { startChain } from '@svc-pay/evm/testing';
import { createHealthStore } from '@svc-pay/postgres/settlement-service';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { evmNetwork } from '@svc-pay/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { createHealthWatch } from './watch-health.ts';

test('the health watch writes down the most of each token that a relayer may move within an hour', async () => {
  const { pool } = await createTestDatabase();
  const chain = await startChain();
  onTestFinished(() => chain.stop('SIGKILL'));
  const rpc = createJsonRpc({ urls: [chain.rpcUrl], timeoutMs: 20_000 });
  const open = {
    network: evmNetwork(chain.chainId),
    mode: 'test',
    processor: chain.record.processor,
    processorVersion: chain.record.processorVersion,
    rpc,
    endpoints: [rpc],
    voters: async () => [rpc],
    feeBounds: { ...DEFAULT_TIP_BOUNDS, maxFeeWei: 1_000_000_000_000n },
    gasCoin: undefined,
  } as const;
  const deps = {
    health: createHealthStore(pool),
    clock: { nowMs: () => Date.now() },
    log: () => {},
    stuckMs: 60_000,
  };
  const watch = createHealthWatch({ ...open, readFitness: evmFitness(open, 10n, deps) }, deps);
  await watch.run();
  const { rows } = await pool.query(
    'select network, lower(asset) as asset, cap from svc.hourly_caps order by cap, asset',
  );
  // The local chain is set up with a cap of a billion of each token.
  expect(rows).toEqual([
    { network: open.network, asset: chain.tokens.usdc.toLowerCase(), cap: (10n ** 15n).toString() },
    { network: open.network, asset: chain.tokens.plain.toLowerCase(), cap: (10n ** 15n).toString() },
    { network: open.network, asset: chain.tokens.vol.toLowerCase(), cap: (10n ** 27n).toString() },
  ]);
});
