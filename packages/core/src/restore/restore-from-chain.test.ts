import { evmNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import type { LaneItem, PendingBatch } from '../lane/lane.ts';
import { ChainUnavailable, type MinedBatch } from '../lane/lane-chain.ts';
import { carriedPayment, onChainTransaction } from '../testing/carried-payment.ts';
import { settledPayment, someAddress } from '../testing/settled-payment.ts';
import { lowerBlock } from './first-block-to-read.ts';
import type { OnChainTransaction } from './on-chain-transaction.ts';
import { LaneTakenOver } from './record-pending-batches.ts';
import type { ChainFacts, NamedPayout, RestoreChain } from './restore-chain.ts';
import { restoreFromChain } from './restore-from-chain.ts';
import type { OpenRestore, RestoredTransaction, RestoreStore } from './restore-store.ts';

const network = evmNetwork(84_532);
const RELAYER = someAddress(0xdd);
const STRANGER = someAddress(0x77);

type World = {
  /** Transactions with logs, in chain order. */
  readonly settled: readonly OnChainTransaction[];
  /** Transactions without a log, by nonce. */
  readonly silent: ReadonlyMap<bigint, OnChainTransaction>;
  /** Nonces of batches that are pending in the backup; the chain has none of the transactions that the backup has. */
  readonly pending: readonly bigint[];
  /** Answers to `readFacts`, one after another; the last one is repeated. */
  readonly facts: readonly ChainFacts[];
  readonly unknownPayouts: readonly NamedPayout[];
  readonly finalBlock: bigint | undefined;
  readonly duty: 'settle' | 'resolve_stranded';
  readonly confirmations: bigint;
  readonly fenced: boolean;
  /** False: no payout of the database has the processor. */
  readonly canAddLanes: boolean;
  /** Of an earlier restore. */
  readonly noted: OpenRestore | undefined;
  readonly unreadable: boolean;
};

const factsOf = (count: bigint, waiting: readonly string[] = []): ChainFacts => ({
  headBlock: 90n,
  counts: new Map([[RELAYER, count]]),
  waiting,
});

/** Ports over plain arrays that note each write. The rules of the stores have tests of their own. */
function worldOf(change: Partial<World>) {
  const world: World = {
    settled: [],
    silent: new Map(),
    pending: [],
    facts: [factsOf(0n)],
    unknownPayouts: [],
    finalBlock: 10n,
    duty: 'settle',
    confirmations: 1n,
    fenced: false,
    canAddLanes: true,
    noted: undefined,
    unreadable: false,
    ...change,
  };
  let { noted } = world;
  const writes: string[] = [];
  const batches = new Map(world.pending.map((nonce) => [nonce, batchOf(nonce)]));
  const mined = new Set<bigint>();
  const facts = [...world.facts];
  const all = [...world.settled, ...world.silent.values()];
  const stored = new Set<bigint>();
  const restored: RestoredTransaction = { batch: 'missing', payments: [] };
  const store: RestoreStore = {
    loadLanes: async () => [{ network, relayer: RELAYER, duty: world.duty, nextNonce: 5n }],
    loadProcessors: async () => [],
    loadWallets: async () => [],
    findStrandedClaim: async () => ({ recorded: false, claimedAtSeconds: undefined }),
    restoreStranded: async ({ epoch }, onChain) => {
      writes.push(`restore stranded ${onChain.nonce} in epoch ${epoch}`);
      return { ok: true, ...restored };
    },
    hasTransaction: async () => false,
    loadTransferPayouts: async () => [],
    restoreTransfer: async () => undefined,
    loadRecordedBlocks: async () => ({ finalBlock: world.finalBlock, firstBlock: undefined, unbroken: [] }),
    loadOpenRestore: async () => noted,
    openRestore: async (_, { fromBlock, relayers }) => {
      noted = { fromBlock: lowerBlock(noted?.fromBlock, fromBlock), relayers };
      return noted;
    },
    closeRestore: async (_, { fromBlock }) => {
      if (noted !== undefined && fromBlock !== undefined && (noted.fromBlock ?? 0n) >= fromBlock) noted = undefined;
      return noted;
    },
    findUnknownPayouts: async () => world.unknownPayouts,
    skipUsedIntentCodes: async (codes) => {
      writes.push(`skip codes ${codes.join(' ')}`);
      return 77;
    },
    addLostLane: async ({ relayer }) => world.canAddLanes && writes.push(`add lane ${relayer}`) > 0,
    restoreTransaction: async ({ epoch }, onChain) => {
      if (world.fenced) return undefined;
      writes.push(`restore ${onChain.nonce} in epoch ${epoch}`);
      stored.add(onChain.nonce);
      mined.add(onChain.nonce);
      batches.set(onChain.nonce, batchOf(onChain.nonce));
      return restored;
    },
    findMissingNonces: async (_, _from, count) =>
      Array.from({ length: Number(count - 5n) }, (__, index) => 5n + BigInt(index)).filter(
        (nonce) => !stored.has(nonce) && !world.pending.includes(nonce),
      ),
    liftLane: async ({ relayer }, count) => {
      writes.push(`lift ${relayer} to ${count}`);
      return count;
    },
  };
  const chain: RestoreChain = {
    readFacts: async () => (facts.length > 1 ? facts.shift() : facts[0]) ?? factsOf(0n),
    async *findTransactions() {
      if (world.unreadable) throw new ChainUnavailable('the node has dropped the logs');
      yield world.settled.map(({ transactionId, blockNumber, settled }) => ({
        transactionId,
        blockNumber,
        intentCodes: settled.map(({ intentCode }) => intentCode),
        payouts: settled.map(({ processor, payoutId }) => ({ processor, payoutId })),
      }));
    },
    readTransactions: async (ids) => ids.flatMap((id) => all.find(({ transactionId }) => transactionId === id) ?? []),
    findByNonce: async (_, nonce) => {
      const found = world.silent.get(nonce);
      if (found === undefined) throw new ChainUnavailable(`no state of nonce ${nonce}`);
      return found.transactionId;
    },
    countAt: async () => 4n,
    findStranding: async () => undefined,
    findMined: async (pending) =>
      pending.filter(({ nonce }) => mined.has(nonce)).map((batch) => minedOf(batch, world.confirmations)),
  };
  const laneStore = {
    takeOver: async () => 3n,
    loadPendingBatches: async () => [...batches.values()],
    recordMined: async (_: unknown, found: readonly { readonly batch: PendingBatch }[]) => {
      for (const { batch } of found) batches.delete(batch.nonce);
      return writes.push(...found.map(({ batch }) => `record ${batch.id}`)) > 0;
    },
  };
  const paused: number[] = [];
  const run = (fromBlock?: bigint) =>
    restoreFromChain({
      store,
      laneStore,
      strandedLaneStore: laneStore,
      chains: [{ network, chain, processor: someAddress(0xee), deployedAtBlock: undefined }],
      transferNetworks: [],
      fromBlock,
      patienceMs: 2_000,
      expiryPatienceMs: 2_000,
      pause: async (ms) => void paused.push(ms),
      note: () => {},
    });
  return { run, writes, paused, noted: () => noted?.fromBlock, open: () => noted };
}

function batchOf(nonce: bigint): PendingBatch {
  const items: LaneItem[] = [settledPayment({}).item];
  return { id: `bat_${nonce}`, nonce, status: 'broadcast', sentAtMs: 0, transactions: [], items };
}

function minedOf({ id, items }: PendingBatch, confirmations: bigint): MinedBatch {
  const { mined, batch } = settledPayment({});
  return {
    batchId: id,
    transactionId: batch.transactionId,
    feeRecipient: batch.feeRecipient,
    blockNumber: 9n,
    blockHash: '0x09',
    confirmations,
    gasCostAtomic: 1n,
    reverted: false,
    items: items.map(({ paymentId }) => ({ ...mined, paymentId })),
  };
}

const sent = (nonce: bigint, change: Partial<OnChainTransaction> = {}) =>
  onChainTransaction({ nonce, relayer: RELAYER, transactionId: `0x${nonce}`, ...change });

test('codes are skipped first, each transaction is stored and then recorded, and the lane is lifted last', async () => {
  const { run, writes } = worldOf({ settled: [sent(5n), sent(6n)], facts: [factsOf(7n)] });
  expect(await run()).toMatchObject({
    ok: true,
    epoch: 77,
    networks: [
      {
        fromBlock: '10',
        transactions: 2,
        restoredTransactions: 2,
        completedPayments: 2,
        lanes: [{ relayer: RELAYER, nonceBefore: '5', nextNonce: '7' }],
      },
    ],
  });
  expect(writes).toEqual([
    'skip codes 4242 4242',
    'restore 5 in epoch 3',
    'restore 6 in epoch 3',
    'record bat_5',
    'record bat_6',
    `lift ${RELAYER} to 7`,
  ]);
});

test.each<[string, Partial<World>, object]>([
  ['a transaction waits', { facts: [factsOf(7n, [RELAYER])] }, { code: 'transactions_waiting', keys: [RELAYER] }],
  ['a payout is unknown', { unknownPayouts: [{ processor: '0x', payoutId: 9n }] }, { code: 'payouts_unknown' }],
  ['no block is known', { finalBlock: undefined }, { code: 'from_block_unknown' }],
])('nothing is written while %s', async (_, change, refusal) => {
  const { run, writes } = worldOf({ settled: [sent(5n)], ...change });
  expect(await run()).toMatchObject({ ok: false, network, ...refusal });
  expect(writes).toEqual([]);
});

test('pending transactions are waited for, up to the limit', async () => {
  const mined = worldOf({ facts: [factsOf(5n, [RELAYER]), factsOf(5n)] });
  expect(await mined.run()).toMatchObject({ ok: true });
  expect(mined.paused).toEqual([1_000]);
  const stuck = worldOf({ facts: [factsOf(5n, [RELAYER])] });
  expect(await stuck.run()).toMatchObject({ ok: false });
  expect(stuck.paused).toEqual([1_000, 1_000]);
});

test('the operator’s first block wins over the database’s', async () => {
  expect(await worldOf({}).run(3n)).toMatchObject({ networks: [{ fromBlock: '3', toBlock: '90' }] });
});

test('a transaction without a log is found by its nonce; one that no node has is reported', async () => {
  const { run, writes } = worldOf({ silent: new Map([[5n, sent(5n)]]), facts: [factsOf(6n)] });
  expect(await run()).toMatchObject({ networks: [{ silentNonces: [], transactions: 1 }] });
  expect(writes).toContain('restore 5 in epoch 3');
  const gone = await worldOf({ facts: [factsOf(6n)] }).run();
  expect(gone).toMatchObject({ networks: [{ silentNonces: [`${RELAYER} 5`] }] });
});

test('a transaction of a stranded transfer is stored under its lane; one that was reverted is not', async () => {
  const resolved = { action: 'settle', carried: carriedPayment() } as const;
  const { run, writes } = worldOf({
    settled: [
      sent(5n, { form: 'resolve_stranded', carried: [], resolved }),
      sent(6n, { form: 'resolve_stranded', carried: [] }),
    ],
    facts: [factsOf(5n)],
    duty: 'resolve_stranded',
  });
  expect(await run()).toMatchObject({ networks: [{ notRebuilt: [], restoredTransactions: 1 }] });
  expect(writes.filter((write) => write.startsWith('restore'))).toEqual(['restore stranded 5 in epoch 3']);
});

test('a mined batch without enough confirmations is left to the lanes', async () => {
  const { run, writes } = worldOf({ settled: [sent(5n)], facts: [factsOf(6n)], confirmations: 0n });
  expect(await run()).toMatchObject({ networks: [{ completedPayments: 0 }] });
  expect(writes.filter((write) => write.startsWith('record'))).toEqual([]);
});

test('a relayer that the backup does not have is added before its transaction', async () => {
  const other = STRANGER;
  const { run, writes } = worldOf({ settled: [sent(0n, { relayer: other })], facts: [factsOf(5n)] });
  expect(await run()).toMatchObject({ networks: [{ lanes: [{}, { relayer: other, nonceBefore: null }] }] });
  expect(writes.indexOf(`add lane ${other}`)).toBeLessThan(writes.indexOf('restore 0 in epoch 3'));
});

test('direct payments are believed only in transactions of relayers that the backup has', async () => {
  const carried = [carriedPayment({ direct: true })];
  // The stranger has also settled a payment at the processor, which makes no relayer of ours of it.
  const settled = [
    sent(0n, { relayer: STRANGER, transactionId: '0xa' }),
    sent(1n, { relayer: STRANGER, transactionId: '0xb', carried }),
    sent(5n, { carried }),
  ];
  const { run, writes } = worldOf({ settled, facts: [factsOf(6n)] });
  expect(await run()).toMatchObject({ networks: [{ restoredTransactions: 2 }] });
  expect(writes.filter((write) => write.startsWith('restore'))).toEqual([
    'restore 0 in epoch 3',
    'restore 5 in epoch 3',
  ]);
});

test.each<[string, string, boolean]>([
  ['a contract that is no processor of ours', someAddress(0x66), true],
  ['a processor without a payout of ours', someAddress(0xee), false],
])('a stranger’s transaction at %s is passed over, and the restore goes on', async (_, processor, canAddLanes) => {
  const carried = [carriedPayment({ processor })];
  const resolved = { action: 'settle', carried: carriedPayment({ processor }) } as const;
  const settled = [
    sent(0n, { relayer: STRANGER, transactionId: '0xa', carried }),
    sent(1n, { relayer: STRANGER, transactionId: '0xb', form: 'resolve_stranded', carried: [], resolved }),
    sent(5n),
  ];
  const { run, writes } = worldOf({ settled, facts: [factsOf(6n)], canAddLanes });
  expect(await run()).toMatchObject({ networks: [{ restoredTransactions: 1, lanes: [{ relayer: RELAYER }] }] });
  expect(writes).not.toContain(`add lane ${STRANGER}`);
});

test('a lane that a service takes over stops the restore', async () => {
  await expect(worldOf({ settled: [sent(5n)], facts: [factsOf(6n)], fenced: true }).run()).rejects.toThrow(
    LaneTakenOver,
  );
});

test('a reverted fee bump that was signed after the backup is found under the nonce of its batch', async () => {
  const silent = new Map([[4n, sent(4n)]]);
  const { run, writes } = worldOf({ pending: [4n], silent, facts: [factsOf(5n)] });
  expect(await run()).toMatchObject({ ok: true, networks: [{ restoredTransactions: 1 }] });
  expect(writes).toContain('restore 4 in epoch 3');
  expect(writes).toContain('record bat_4');
});

test('a batch whose nonce the chain has not used waits, and nothing is asked for it', async () => {
  const { run, writes } = worldOf({ pending: [4n], facts: [factsOf(4n)] });
  expect(await run()).toMatchObject({ ok: true, networks: [{ silentNonces: [] }] });
  expect(writes).toEqual(['skip codes ', `lift ${RELAYER} to 4`]);
});

test('where a restore begins is noted before anything can stop it, and forgotten when everything is in the books', async () => {
  const waiting = worldOf({ facts: [factsOf(6n, [RELAYER])] });
  expect(await waiting.run()).toMatchObject({ code: 'transactions_waiting' });
  const unknown = worldOf({
    settled: [sent(5n)],
    facts: [factsOf(6n)],
    unknownPayouts: [{ processor: '0x', payoutId: 9n }],
  });
  expect(await unknown.run()).toMatchObject({ code: 'payouts_unknown' });
  const fenced = worldOf({ settled: [sent(5n)], facts: [factsOf(6n)], fenced: true });
  await expect(fenced.run()).rejects.toThrow(LaneTakenOver);
  expect([waiting.noted(), unknown.noted(), fenced.noted()]).toEqual([10n, 10n, 10n]);
  const whole = worldOf({ settled: [sent(5n)], facts: [factsOf(6n)] });
  expect(await whole.run()).toMatchObject({ networks: [{ fromBlock: '10', readAgainFrom: null }] });
  expect(whole.noted()).toBeUndefined();
});

test('a restore begins where an earlier one was left, although services have moved the newest final block', async () => {
  const noted = { fromBlock: 4n, relayers: [] };
  const left = worldOf({ noted, facts: [factsOf(5n)] });
  expect(await left.run()).toMatchObject({ networks: [{ fromBlock: '4', readAgainFrom: null }] });
  expect(left.noted()).toBeUndefined();
  // What is left open is noted until a run has read it.
  const later = worldOf({ noted, facts: [factsOf(5n)] });
  expect(await later.run(7n)).toMatchObject({ networks: [{ fromBlock: '7', readAgainFrom: '4' }] });
  expect(later.noted()).toBe(4n);
  const earlier = worldOf({ noted, facts: [factsOf(5n)] });
  expect(await earlier.run(2n)).toMatchObject({ networks: [{ fromBlock: '2', readAgainFrom: null }] });
  expect(earlier.noted()).toBeUndefined();
});

test('a transaction that no node returns leaves the restore open', async () => {
  const open = worldOf({ facts: [factsOf(6n)] });
  expect(await open.run()).toMatchObject({ networks: [{ silentNonces: [`${RELAYER} 5`], readAgainFrom: '10' }] });
  expect(open.noted()).toBe(10n);
});

test('a block of the operator is noted only if the nodes answer for it, and never instead of what the database knows', async () => {
  const mistyped = worldOf({ unreadable: true, facts: [factsOf(5n)] });
  await expect(mistyped.run(1n)).rejects.toThrow(ChainUnavailable);
  expect(mistyped.noted()).toBe(10n);
  const later = worldOf({ facts: [factsOf(5n)] });
  expect(await later.run(20n)).toMatchObject({ networks: [{ fromBlock: '20', readAgainFrom: '10' }] });
  expect(later.noted()).toBe(10n);
  const ahead = worldOf({ facts: [factsOf(5n)] });
  expect(await ahead.run(91n)).toMatchObject({ ok: false, code: 'from_block_ahead', newest: 90n });
  expect([ahead.noted(), ahead.writes]).toEqual([10n, []]);
});

test('a first block that nobody knew stays unknown, whatever services settle since, until the operator says it', async () => {
  const unknown = worldOf({ finalBlock: undefined, facts: [factsOf(5n)] });
  expect(await unknown.run()).toMatchObject({ code: 'from_block_unknown' });
  expect(unknown.open()).toEqual({ fromBlock: undefined, relayers: [] });
  const settledSince = worldOf({ noted: unknown.open(), facts: [factsOf(5n)] });
  expect(await settledSince.run()).toMatchObject({ code: 'from_block_unknown' });
  expect(await settledSince.run(3n)).toMatchObject({ networks: [{ fromBlock: '3', readAgainFrom: null }] });
  expect(settledSince.open()).toBeUndefined();
});
