import type { NetworkId } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { ChainUnavailable } from '../lane/lane-chain.ts';
import { createReferenceReader, REFERENCE_LIMITS } from './read-references.ts';
import { nextReadAtMs, REFERENCE_KEPT_MS } from './reading-times.ts';
import type { ReferenceChain, ReferredTransaction } from './reference-chain.ts';
import type { AppliedMovement, DueReference, ReadReference } from './reference-store.ts';

const NOW = 1_000_000_000;
const MINUTE = 60_000;
const network = 'solana:devnet' as NetworkId;
const due = (reference: string, more: Partial<DueReference> = {}) =>
  ({
    accountId: 'acct_1',
    mode: 'test',
    intentId: `pi_${reference}`,
    intentCode: 1n,
    network,
    reference,
    feeRecipient: 'platform',
    expiresAtMs: NOW + MINUTE,
    openedAtMs: NOW,
    cursor: null,
    waitsSinceMs: null,
    ...more,
  }) as DueReference;

const moved = (transactionId: string): ReferredTransaction => ({
  kind: 'moved',
  movement: { transactionId, slot: 1n, blockTimeSeconds: 1n, feePayer: 'payer', changes: [] },
});

type Given = {
  readonly listed?: Readonly<Record<string, readonly (string | { readonly failed: string })[] | Error>>;
  readonly read?: Readonly<Record<string, ReferredTransaction>>;
  readonly applied?: Readonly<Record<string, AppliedMovement>>;
  /** Of a list on so many pages. */
  readonly isWhole?: (pages: number) => boolean;
  readonly slotOf?: (index: number) => bigint;
  readonly runs?: number;
};

async function run(references: readonly DueReference[], given: Given) {
  const notes = new Map<string, ReadReference>();
  const applied: string[] = [];
  const logged: string[] = [];
  const after: (string | null)[] = [];
  const pages: number[] = [];
  const chain: ReferenceChain = {
    network,
    referenceOf: async (intentId) => intentId.slice('pi_'.length),
    look: async () => ({
      list: async (reference, cursor, most) => {
        after.push(cursor);
        pages.push(most);
        const told = given.listed?.[reference] ?? [];
        if (told instanceof Error) throw told;
        const from = told.findIndex((one) => one === cursor) + 1;
        const transactions = told.slice(from).map((one, index) => {
          const slot = given.slotOf?.(from + index) ?? BigInt(from + index);
          return typeof one === 'string'
            ? { transactionId: one, slot, hasFailed: false, isAgreed: !one.startsWith('lie') }
            : { transactionId: one.failed, slot, hasFailed: true, isAgreed: true };
        });
        const isWhole = given.isWhole?.(most) ?? true;
        return { transactions, isWhole, isFlooded: !isWhole };
      },
      read: async (id) => given.read?.[id] ?? moved(id),
    }),
  };
  const job = createReferenceReader(
    chain,
    {
      clock: { nowMs: () => NOW },
      log: (event) => void logged.push(event),
      references: {
        loadDue: async () => references.map((one) => ({ ...one, ...notes.get(one.reference) })),
        apply: async (_, { transactionId }) => {
          applied.push(transactionId);
          return given.applied?.[transactionId] ?? { outcome: 'ignored', reason: 'other' };
        },
        noteRead: async ({ reference }, read) => void notes.set(reference, read),
      },
    },
    { ...REFERENCE_LIMITS, perRun: 10, atOnce: 2, perReference: 3, pages: 1, mostPages: 4, lateMs: 10 * MINUTE },
  );
  for (let runs = given.runs ?? 1; runs > 0; runs -= 1) await job.run();
  return { notes, applied, logged, after, pages };
}

test('transactions are applied oldest first, and the cursor stands at the last one that is decided', async () => {
  const { applied, notes, after } = await run([due('a', { cursor: 'zero' })], {
    listed: { a: ['one', { failed: 'two' }, 'three'] },
  });
  expect(after).toEqual(['zero']);
  expect(applied).toEqual(['one', 'three']);
  expect(notes.get('a')).toEqual({ cursor: 'three', waitsSinceMs: null, wholeSinceMs: NOW, nextReadAtMs: NOW + 1_000 });
});

test.each<[string, Given]>([
  ['nodes contradict each other about', { read: { two: { kind: 'unknown' } } }],
  ['a quorum lists and does not tell yet, as', { read: { two: { kind: 'absent' } } }],
  ['another process locks the rows of', { applied: { two: { outcome: 'waits', reason: 'locked' } } }],
])('the cursor does not pass a transaction that %s', async (_, given) => {
  const { applied, notes } = await run([due('a')], { ...given, listed: { a: ['one', 'two', 'three'] } });
  expect(applied).not.toContain('three');
  expect(notes.get('a')).toMatchObject({ cursor: 'one', waitsSinceMs: NOW, wholeSinceMs: null });
});

test('a transaction that one node made up holds up none behind it', async () => {
  const { applied, notes } = await run([due('a')], {
    listed: { a: ['lie', 'two'] },
    read: { lie: { kind: 'absent' } },
  });
  expect(applied).toEqual(['two']);
  expect(notes.get('a')?.cursor).toBe('two');
});

const lies = (count: number) => Array.from({ length: count }, (_, index) => `lie ${index}`);
const absent = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { kind: 'absent' as const }]));

test('as many transactions as a node likes to make up hold up none that a quorum lists, and the cursor waits until each was read', async () => {
  const given = { listed: { a: [...lies(4), 'one'] }, read: absent(lies(4)) };
  const first = await run([due('a')], given);
  expect(first.applied).toEqual(['one']);
  expect(first.notes.get('a')).toMatchObject({ cursor: null, waitsSinceMs: NOW, nextReadAtMs: NOW + 1_000 });
  const { applied, notes } = await run([due('a')], { ...given, runs: 2 });
  expect(applied).toEqual(['one']);
  expect(notes.get('a')).toMatchObject({ cursor: 'one', waitsSinceMs: null, wholeSinceMs: NOW });
});

test('a payment that one node alone lists, behind many that another makes up, is read, and the cursor does not pass it', async () => {
  const hidden = 'lie that is none';
  const listed = { a: [...lies(30), hidden, 'newer'] };
  const read = absent(lies(30));
  const early = await run([due('a')], { listed, read, runs: 10 });
  expect([early.applied, early.notes.get('a')?.cursor]).toEqual([['newer'], null]);
  const { applied, notes } = await run([due('a')], { listed, read, runs: 11 });
  expect(applied).toEqual(['newer', hidden]);
  expect(notes.get('a')?.cursor).toBe('newer');
  const undecided = { ...read, [hidden]: { kind: 'unknown' as const } };
  expect((await run([due('a')], { listed, read: undecided, runs: 20 })).notes.get('a')?.cursor).toBeNull();
});

test('the cursor does not stand between two transactions of a slot while one of them is not decided', async () => {
  const listed = { a: ['1', '2', '3', '4', '5'] };
  const slotOf = (index: number) => (index === 0 ? 1n : 2n);
  const first = await run([due('a')], { listed, slotOf });
  expect([first.applied, first.notes.get('a')?.cursor]).toEqual([['1', '2', '3'], '1']);
  const { applied, notes } = await run([due('a')], { listed, slotOf, runs: 2 });
  expect([applied, notes.get('a')?.cursor]).toEqual([['1', '2', '3', '4', '5'], '5']);
});

test('transactions in a flood are read once each, and more pages are asked for when all on the first are decided', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `${index}`);
  const { applied, notes, pages } = await run([due('a')], {
    listed: { a: names },
    isWhole: (most) => most >= 4,
    runs: 5,
  });
  expect(applied).toEqual(names);
  expect(pages).toEqual([1, 1, 1, 2, 4]);
  expect(notes.get('a')).toMatchObject({ cursor: '7', waitsSinceMs: null, wholeSinceMs: NOW });
  const hidden = await run([due('a')], { listed: { a: names }, isWhole: () => false, runs: 9 });
  expect(hidden.pages.at(-1)).toBe(4);
  expect(hidden.notes.get('a')).toMatchObject({ cursor: null, nextReadAtMs: NOW + 1_000 });
  expect(hidden.logged).toContain('reference_flooded');
});

test('a reference with a key that is not its intent’s is closed unread and told', async () => {
  const forged = due('a', { intentId: 'pi_b' as DueReference['intentId'] });
  const { applied, after, notes, logged } = await run([forged], { listed: { a: ['one'] } });
  expect([applied, after]).toEqual([[], []]);
  expect(notes.get('a')?.nextReadAtMs).toBeNull();
  expect(logged).toEqual(['reference_forged']);
});

test('without the whole list money is applied, and the cursor stays: an older transaction may be missing', async () => {
  const { applied, notes } = await run([due('a')], { listed: { a: ['one'] }, isWhole: () => false });
  expect(applied).toEqual(['one']);
  expect(notes.get('a')).toMatchObject({ cursor: null, waitsSinceMs: NOW, wholeSinceMs: null });
});

test('a reference with more transactions than a run reads goes on where the run ended', async () => {
  const { applied, notes } = await run([due('a')], { listed: { a: ['1', '2', '3', '4', '5'] } });
  expect(applied).toEqual(['1', '2', '3']);
  expect(notes.get('a')).toMatchObject({ cursor: '3', wholeSinceMs: null, nextReadAtMs: NOW + 1_000 });
});

test('a reference that fails keeps its cursor and holds up no other', async () => {
  const { applied, notes, logged } = await run([due('a', { cursor: 'zero' }), due('b')], {
    listed: { a: new ChainUnavailable('silent'), b: ['one'] },
  });
  expect(applied).toEqual(['one']);
  expect(notes.get('a')).toEqual({ cursor: 'zero', waitsSinceMs: NOW, wholeSinceMs: null, nextReadAtMs: NOW + 10_000 });
  expect(logged).toContain('row_skipped_chain_unreachable');
});

test('what can’t be decided for ten minutes is told, and what is decided is not', async () => {
  const since = { waitsSinceMs: NOW - 10 * MINUTE };
  const stuck = await run([due('a', since)], { listed: { a: ['one'] }, read: { one: { kind: 'unknown' } } });
  expect(stuck.logged).toEqual(['reference_undecided']);
  const free = await run([due('a', since)], { listed: { a: ['one'] } });
  expect(free.logged).toEqual([]);
  expect(free.notes.get('a')?.waitsSinceMs).toBeNull();
});

test('a reference is read every second at first, more rarely with its age, when what was paid in time is final, and no longer a week after the intent ended', () => {
  const opened = { openedAtMs: NOW, expiresAtMs: NOW + 30 * MINUTE };
  const pauseAt = (nowMs: number) => (nextReadAtMs(opened, nowMs) ?? Number.NaN) - nowMs;
  expect(pauseAt(NOW + 1_000)).toBe(1_000);
  expect(pauseAt(NOW + 60 * MINUTE)).toBe(MINUTE);
  expect(pauseAt(NOW + 6 * 86_400_000)).toBe(60 * MINUTE);
  const long = { openedAtMs: NOW, expiresAtMs: NOW + 24 * 60 * MINUTE };
  expect(nextReadAtMs(long, long.expiresAtMs - 1)).toBe(long.expiresAtMs + MINUTE);
  const end = opened.expiresAtMs + REFERENCE_KEPT_MS;
  expect(nextReadAtMs(opened, end)).not.toBeNull();
  expect(nextReadAtMs(opened, end + 1)).toBeNull();
});
