import { evmNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import type { ReaderNode } from '../reader/reader-chain.ts';
import type { AuthorizationState } from '../stranded/authorization-chain.ts';
import type { DirectStore, OpenDirect } from './direct-store.ts';
import { createDirectWatch } from './watch-direct.ts';

const NETWORK = evmNetwork(84_532);
const TOKEN = '0x70';

const rowOf = (intentId: string, change: Partial<OpenDirect> = {}): OpenDirect =>
  ({
    intentId,
    claimKey: new TextEncoder().encode(intentId),
    asset: TOKEN.toUpperCase().replace('X', 'x'),
    payer: '0xaa',
    nonce: `0x${intentId}`,
    claimedAtSeconds: 110n,
    paymentId: `pay of ${intentId}`,
    settlement: 'held',
    validBeforeSeconds: 500n,
    refused: false,
    claimed: change.refused !== true,
    bound: false,
    unusedAtBlock: 100n,
    refusal: null,
    heldForMerchant: false,
    hasUnappliedLog: false,
    isResultFinal: true,
    ...change,
  }) as OpenDirect;

function world(rows: readonly OpenDirect[], states: (intentId: string) => AuthorizationState, cursors = true) {
  const done: string[] = [];
  let nowMs = 1_000_000;
  const page =
    (refused: boolean) =>
    async (_: unknown, after: { validBeforeSeconds: bigint; claimKey: Uint8Array }, before: bigint, limit: number) =>
      rows
        .filter((row) => row.refused === refused && row.validBeforeSeconds < before)
        .filter(
          (row) =>
            row.validBeforeSeconds >= after.validBeforeSeconds && Buffer.compare(row.claimKey, after.claimKey) > 0,
        )
        .slice(0, limit);
  const direct: DirectStore = {
    loadOpenDirect: page(false),
    loadOpenRefused: page(true),
    closeDirect: async (over) =>
      void (over.length > 0 && done.push(`close ${over.map(({ intentId }) => intentId).join()}`)),
    closeRefused: async (keys) => void (keys.length > 0 && done.push(`close refused ${keys.length}`)),
    failExpired: async ({ intentId }, { state }) => {
      if (intentId === 'broken') throw new Error('no database');
      done.push(`fail ${intentId} ${state}`);
      return 'authorization_expired';
    },
    failUsed: async ({ intentId }) => done.push(`fail used ${intentId}`) > 0,
    queueAgain: async ({ intentId }) => done.push(`queue ${intentId}`) > 0,
  };
  const at = { number: 900n, hash: '0x', timeSeconds: 601n };
  const node = {
    readBlocks: async (numbers: readonly bigint[]) => numbers.map((number) => ({ ...at, number })),
    readLogs: async () =>
      rows.map(({ payer, nonce }) => ({ event: 'authorization_used', address: TOKEN, position: at, payer, nonce })),
  } as unknown as ReaderNode;
  const job = createDirectWatch(
    {
      network: NETWORK,
      limits: { authorizations: { everyMs: 1, pageSize: 10, expiredPages: 2, validPages: 2, tracedAtOnce: 1 } },
      nodes: async () => [node],
      readAuthorizations: async () => {
        done.push('ask');
        return {
          finalizedTimeSeconds: 600n,
          readStates: async (some) => some.map(({ intentId }) => states(intentId)),
          traceOutcomes: async () => [],
        };
      },
    },
    {
      direct,
      reader: {
        loadCursors: async () => (cursors ? [{ address: TOKEN, kind: 'token' as const, at }] : []),
        keepLogs: async (_network, logs) =>
          void done.push(`keep ${[...new Set(logs.map((log) => ('nonce' in log ? log.nonce : '')))].join()}`),
      },
      clock: { nowMs: () => nowMs },
      log: (event) => void done.push(event),
    },
  );
  return {
    done,
    run: async (afterMs = 0) => {
      nowMs += afterMs;
      done.length = 0;
      await job.run();
      return done.filter((one) => one !== 'ask');
    },
  };
}

test('unused payments past their window fail, and what is over is closed, one failure beside the others', async () => {
  const rows = [
    rowOf('a'),
    rowOf('broken'),
    rowOf('c', { settlement: 'completed' }),
    rowOf('d', { refused: true, settlement: null, paymentId: null }),
    rowOf('later', { validBeforeSeconds: 5_000n, settlement: 'queued' }),
  ];
  const { run } = world(rows, (intentId) => (intentId === 'later' ? 'open' : 'over'));
  expect(await run()).toEqual(['fail a over', 'direct_payment_failed', 'row_skipped', 'close c', 'close refused 1']);
});

test('the chain is not asked about a refused authorization that has not expired', async () => {
  const asked: string[] = [];
  const refused = { refused: true, settlement: null, paymentId: null };
  const rows = [rowOf('over', refused), rowOf('valid', { ...refused, validBeforeSeconds: 5_000n })];
  const { run } = world(rows, (intentId) => {
    asked.push(intentId);
    return 'over';
  });
  expect(await run()).toEqual(['close refused 1']);
  expect(asked).toEqual(['over']);
});

test('a use of which no log was read is looked for, once, and told then', async () => {
  const { run } = world([rowOf('a', { validBeforeSeconds: 5_000n })], () => 'used');
  expect(await run()).toEqual(['keep 0xa', 'direct_logs_read_again']);
  expect(await run(1_000)).toEqual([]);
  expect(await run(60_000)).toEqual(['authorization_use_unexplained']);
});

test('a held payment that a final block shows unused is queued again, at most once a minute', async () => {
  const { run } = world([rowOf('a', { validBeforeSeconds: 5_000n })], () => 'open');
  expect(await run()).toEqual(['queue a']);
  expect(await run(59_000)).toEqual([]);
  expect(await run(1_000)).toEqual(['queue a']);
});

test('logs of one token are read again at most once a minute, whoever asks for it', async () => {
  const { run } = world([rowOf('a'), rowOf('b')], () => 'used');
  expect(await run()).toEqual(['keep 0xa', 'direct_logs_read_again']);
  expect(await run(61_000)).toContain('keep 0xb');
});

test('a refusal that was claimed since is closed, and asks for no logs', async () => {
  const { run } = world([rowOf('a', { refused: true, claimed: true, settlement: null })], () => 'used');
  expect(await run()).toEqual(['close refused 1']);
});

test('a network in which no token is read asks no node', async () => {
  const { run, done } = world([rowOf('a')], () => 'over', false);
  await run();
  expect(done).toEqual([]);
});
