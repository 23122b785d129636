// A chain whose logs a test makes, a database, and chain readers between them that the test may kill. What is applied is
// counted per log, in the transaction that takes the log off the queue.
import {
  type AppliedLog,
  type ApplyStore,
  claimKey,
  createChainReader,
  type MoneyLog,
  type PeriodicJob,
  READER_LIMITS,
  type ReaderChain,
  type ReaderLimits,
  type ReaderStore,
  type WatchLogEvent,
} from '@svc-pay/core';
import { createEndpoints, createReaderNode, openReaderChains } from '@svc-pay/evm';
import { startAnvil } from '@svc-pay/evm/testing';
import { createReaderStore } from '@svc-pay/postgres/settlement-service';
import { createTestDatabase, insertRow, NOW } from '@svc-pay/postgres/testing';
import { evmNetwork } from '@svc-pay/protocol';
import { createTestClient, type Hex, http, publicActions, walletActions } from 'viem';
import { onTestFinished } from 'vitest';
import { PROCESSOR_CODE, TOKEN_CODE, wordsOf } from './log-emitters.ts';
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts';

const NETWORK = evmNetwork(31_337);
const PROCESSOR: Hex = `0x${'2a'.repeat(20)}`;
const TOKEN: Hex = `0x${'7c'.repeat(20)}`;
const PAYER: Hex = `0x${'b1'.repeat(20)}`;
const WALLET: Hex = `0x${'a1'.repeat(20)}`;
const SOURCES = [
  { address: PROCESSOR, kind: 'processor' },
  { address: TOKEN, kind: 'token' },
] as const;
/** `finalized` is eight blocks behind the head. */
const SLOTS_IN_AN_EPOCH = 4;
export const FINAL_AFTER = 2 * SLOTS_IN_AN_EPOCH;
const GAS = 25_000_000n;

export type AnvilReaderWorld = Awaited<ReturnType<typeof startReaderWorld>>;

export async function startReaderWorld(nodes = 2) {
  const [anvil, { pool }] = await Promise.all([
    startAnvil({ slotsInAnEpoch: SLOTS_IN_AN_EPOCH }),
    createTestDatabase(),
  ]);
  onTestFinished(() => anvil.stop());
  const node = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) })
    .extend(publicActions)
    .extend(walletActions);
  await node.setCode({ address: PROCESSOR, bytecode: PROCESSOR_CODE });
  await node.setCode({ address: TOKEN, bytecode: TOKEN_CODE });
  const [account] = await node.getAddresses();
  if (account === undefined) throw new Error('the chain has no account');
  await insertRow(pool, 'accounts');
  await insertRow(pool, 'account_modes');
  const payout = { network: NETWORK, payout_id: 1 };
  await insertRow(pool, 'payouts', { ...payout, processor: PROCESSOR });
  const direct = { kind: 'direct', asset: TOKEN, activation: '{}', active_from: NOW, fee_bps: 0 };
  await insertRow(pool, 'payouts', { ...payout, processor: WALLET, merchant: WALLET, ...direct });
  await pool.query(`
    create table public.applied (
      transaction_id text, log_index integer, block_hash text, times integer, primary key (transaction_id, log_index)
    )`);
  const proxies: RpcProxy[] = [];
  for (let index = 0; index < nodes; index += 1) proxies.push(await startRpcProxy(anvil.rpcUrl));
  onTestFinished(() => proxies.forEach((proxy) => proxy.close()));
  const told: WatchLogEvent[] = [];
  const [rpc] = createEndpoints({ urls: [anvil.rpcUrl], timeoutMs: 20_000 });
  /** What the chain itself answers. */
  const ask = async (method: string, params: readonly unknown[]) => {
    const [answer] = await rpc([{ method, params }]);
    if (answer?.ok !== true) throw new Error(`the chain refuses ${method}`);
    return answer.result;
  };
  /**
   * Anvil answers before the block is mined. Asked by hash: viem's own wait asks once for each new block number, and Anvil counts
   * the block before it has the receipt, so with no further block that wait ended at its limit of 180 s.
   */
  const send = async (to: Hex, data: Hex) => {
    const hash = await node.sendTransaction({ account, chain: null, to, data, gas: GAS });
    while ((await ask('eth_getTransactionReceipt', [hash])) === null)
      await new Promise((resolve) => setTimeout(resolve, 10));
    return hash;
  };
  const honest = createReaderNode(rpc);
  let nonces = 0;

  const world = {
    node,
    pool,
    proxies,
    told,
    network: NETWORK,
    chain: openChain(proxies),
    store: createReaderStore(pool),
    apply: createCountingApply(pool),
    mine: (blocks: number) => node.mine({ blocks }),
    ask,
    /** The newest block. */
    head: () => node.getBlockNumber({ cacheTime: 0 }),
    /** Replaces the newest blocks by empty ones. */
    reorganize: (depth: number) =>
      node.request({ method: 'anvil_reorg', params: [depth, []] } as unknown as Parameters<typeof node.request>[0]),
    /** Logs of settled payments, in a block of their own. */
    settle: (count: number) => send(PROCESSOR, wordsOf(count, 1, PAYER, TOKEN, 7, 1_000, 900, 9)),
    /** Uses of authorizations that nobody here claimed. */
    useForeign: (count: number) => {
      nonces += count;
      return send(TOKEN, wordsOf(count, nonces - count, PAYER, WALLET, 5));
    },
    /** Uses of authorizations that were claimed here. */
    useOwn: async (count: number) => {
      nonces += count;
      const first = nonces - count;
      await claimAll(Array.from({ length: count }, (_, index) => first + index));
      return send(TOKEN, wordsOf(count, first, PAYER, WALLET, 5));
    },
    /** Every log of ours that a final block has, by the chain's own word. */
    expected: async () => {
      const through = (await world.head()) - BigInt(FINAL_AFTER);
      const logs = await honest.readLogs({ from: 0n, to: through }, SOURCES);
      return (await world.store.selectOwn(NETWORK, logs)).map(keyOf).toSorted();
    },
    applied: async () => {
      const { rows } = await pool.query<{ key: string }>(
        `select transaction_id || ' ' || log_index || ' ' || block_hash || ' ' || times as key from public.applied
         order by 1`,
      );
      return rows.map(({ key }) => key).toSorted();
    },
    /** One more reader, which remembers nothing of the others. */
    newReader: (given: Partial<ReaderPorts> = {}, limits: Partial<ReaderLimits> = {}) =>
      createChainReader(
        given.chain ?? world.chain,
        {
          reader: given.store ?? world.store,
          apply: given.apply ?? world.apply,
          clock: { nowMs: () => Date.now() },
          log: (event) => void told.push(event),
          metrics: { blocksPassed: () => {}, blocksBehind: () => {}, rewound: () => {}, logApplied: () => {} },
        },
        { ...READER_LIMITS, claimMs: 0, ...limits },
      ),
  };
  const claimAll = async (numbers: readonly number[]) => {
    const keys = numbers.map((number) =>
      claimKey({ network: NETWORK, asset: TOKEN, payer: PAYER, uniquePart: wordsOf(number) }),
    );
    const values = [keys, numbers.map((number) => Buffer.from(wordsOf(number).slice(2), 'hex')), NETWORK, TOKEN, PAYER];
    await pool.query(
      `with given as (select * from unnest($1::bytea[], $2::bytea[]) as given (claim_key, nonce)),
         claimed as (
           insert into svc.claims (claim_key, account_id, mode, intent_id, network, asset, payer, nonce, created_at)
           select claim_key, 'acct_a', 'test', 'pi_' || encode(nonce, 'hex'), $3, $4, $5, nonce, now() from given
         )
       insert into svc.authorizations (
         account_id, mode, intent_id, claim_key, kind, network, asset, payer, recipient, cap, valid_after, valid_before,
         nonce, signature, direct, unused_at_block, created_at
       )
       select 'acct_a', 'test', 'pi_' || encode(nonce, 'hex'), claim_key, 'transfer_with_authorization', $3, $4, $5, $6, 5,
         0, 4000000000, nonce, '\\x00', true, 0, now() from given`,
      [...values, WALLET],
    );
  };
  return world;
}

export type ReaderPorts = { readonly chain: ReaderChain; readonly store: ReaderStore; readonly apply: ApplyStore };

function openChain(proxies: readonly RpcProxy[]): ReaderChain {
  const setup = { rpcUrls: proxies.map(({ url }) => url) };
  const [chain] = openReaderChains([[NETWORK, setup]], { timeoutMs: 5_000 });
  if (chain === undefined) throw new Error('the network is not known');
  return chain;
}

const keyOf = ({ position }: MoneyLog): string =>
  `${position.transactionId} ${position.logIndex} ${position.blockHash} 1`;

function createCountingApply(pool: Awaited<ReturnType<typeof createTestDatabase>>['pool']): ApplyStore {
  return {
    dropRecorded: async (_, logs) => logs,
    applyLog: async (network, { log: { position } }): Promise<AppliedLog> => {
      await pool.query(
        `with taken as (
           delete from svc.read_logs where network = $1 and transaction_id = $2 and log_index = $3
           returning transaction_id, log_index, block_hash
         )
         insert into public.applied select transaction_id, log_index, block_hash, 1 from taken
         on conflict (transaction_id, log_index) do update set times = applied.times + 1`,
        [network, position.transactionId, position.logIndex],
      );
      return { outcome: 'ignored', reason: 'counted' };
    },
  };
}

/** Runs the reader until it has nothing left to read or to apply. */
export async function runThrough(job: PeriodicJob, { store, network, head }: AnvilReaderWorld): Promise<void> {
  const isDone = async () => {
    const final = (await head()) - BigInt(FINAL_AFTER);
    const cursors = await store.loadCursors(network);
    const isRead = cursors.length > 0 && cursors.every(({ at }) => at.number >= final);
    return isRead && (await store.loadUnapplied(network, final, undefined, 1)).length === 0;
  };
  for (let run = 0; run < 100; run += 1) {
    await job.run();
    if (await isDone()) return;
  }
  throw new Error('the reader does not come to an end');
}
