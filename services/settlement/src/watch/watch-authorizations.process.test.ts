// Many authorizations expire together: the watch closes them in time, and still finds the one that was used.
import { createAuthorizationWatch } from '@svc-pay/core';
import { createEvmWatchedChain, createJsonRpc } from '@svc-pay/evm';
import { startChain } from '@svc-pay/evm/testing';
import { createStrandedStore } from '@svc-pay/postgres/settlement-service';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { evmNetwork } from '@svc-pay/protocol';
import { expect, onTestFinished, test } from 'vitest';

const MANY = 2_000;
/** Target: 50,000 within two minutes; this is the proportional time for MANY. */
const DUE_MS = (120_000 * MANY) / 50_000;

test(`${MANY} unused authorizations that run out within a minute are closed within ${DUE_MS} ms`, async () => {
  const { pool } = await createTestDatabase();
  const chain = await startChain({ blockTimeSeconds: 0.1 });
  onTestFinished(() => chain.stop('SIGKILL'));
  const nowSeconds = await chain.nowSeconds();
  await pool.query(
    `insert into svc.authorizations (
       account_id, mode, intent_id, claim_key, kind, network, asset, payer, recipient, cap, valid_after, valid_before,
       nonce, signature, created_at
     )
     select 'acct_many', 'test', 'pi_' || n, sha256(n::text::bytea), 'transfer_with_authorization', $1, lower($2),
       '0x' || substr(encode(sha256(n::text::bytea), 'hex'), 1, 40), lower($3), 1500000, 1, $4::bigint + n % 60,
       sha256(('nonce' || n)::bytea), decode(repeat('1b', 65), 'hex'), now()
     from generate_series(1, $5::integer) n`,
    [chain.network, chain.tokens.usdc, chain.record.processor, nowSeconds.toString(), MANY],
  );
  const rpc = createJsonRpc({ urls: [chain.rpcUrl], timeoutMs: 20_000 });
  const watched = createEvmWatchedChain(
    { network: evmNetwork(chain.chainId), voters: async () => [rpc], gasCoin: undefined },
    { readFitness: () => Promise.reject(new Error('nobody asks')), extraJobs: [] },
  );
  const errors: string[] = [];
  const watch = createAuthorizationWatch(watched, {
    stranded: createStrandedStore(pool),
    clock: { nowMs: () => Date.now() },
    log: (event) => errors.push(event),
  });
  const openCount = async () =>
    (
      await pool.query<{ count: number }>(
        'select count(*)::integer as count from svc.authorizations where closed_at is null',
      )
    ).rows[0]?.count;

  await watch.run();
  expect(await openCount()).toBe(MANY);
  await chain.advance(120);
  // The finalized block is two blocks behind the latest.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const startMs = performance.now();
  await watch.run();
  const tookMs = performance.now() - startMs;
  expect(await openCount()).toBe(0);
  expect(tookMs).toBeLessThan(DUE_MS);
  expect(errors).toEqual([]);
});
