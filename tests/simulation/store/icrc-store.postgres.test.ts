// The memory store of token ledgers compared with Postgres: one generated sequence of calls gets the same answers from both,
// and leaves the same rows.
import type { IcrcStore, IcrcTransfer, LedgerCursor } from '@svc-pay/core';
import { answerOf, createMemoryIcrcHarness, plain, sampleAccount } from '@svc-pay/core/testing';
import type { IcrcHarness, LedgerIntent } from '@svc-pay/core/testing/contracts';
import { createIcrcHarness } from '@svc-pay/postgres/testing';
import { expect, test } from 'vitest';
import { createDice } from '../../chaos/harness/dice.ts';

const INTENTS = 8;
const CALLS = 300;
const AMOUNTS = [1_000_000n, 1_000_000n, 400_000n, 600_000n, 1_700_000n, 1n];

test.for([1, 2, 3])('the same calls get the same answers from memory and from Postgres, sequence %i', async (seed) => {
  const dice = createDice(seed);
  const real = await createIcrcHarness();
  const memory = createMemoryIcrcHarness(real.nowMs);
  const { network, ledger, merchant, rival } = real;
  const startMs = real.nowMs();
  let nowMs = startMs;
  const intents: LedgerIntent[] = [];
  for (let count = 0; count < INTENTS; count += 1) {
    const terms = {
      ...(dice.roll() < 0.3 && { expectedSender: sampleAccount(9) }),
      expiresInMs: 5_000 + Math.floor(dice.roll() * 100_000),
    };
    const intent = await real.offer(terms);
    memory.copy(intent, terms);
    intents.push(intent);
  }
  const counts = new Map<string, number>();
  const both = async (name: string, call: (one: IcrcHarness) => Promise<unknown>): Promise<void> => {
    const [ours, theirs] = [await answerOf(() => call(memory)), await answerOf(() => call(real))];
    expect({ name, answer: withoutPayment(ours) }).toEqual({ name, answer: withoutPayment(theirs) });
    counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  const transferAt = (index: bigint): IcrcTransfer => ({
    network,
    ledger,
    index,
    from: dice.roll() < 0.6 ? sampleAccount(9, dice.roll() < 0.5 ? 3 : undefined) : sampleAccount(10),
    to: dice.pick([merchant, merchant, merchant, merchant, rival, sampleAccount(8)]),
    amountAtomic: dice.pick(AMOUNTS),
    intentCode: dice.roll() < 0.1 ? 5n : dice.pick(intents).intentCode,
    blockTimeMs: nowMs,
  });
  const blocks: IcrcTransfer[] = [];
  const cursor = async (): Promise<LedgerCursor> => {
    const known = await memory.icrc.loadCursor(network, ledger);
    const nextIndex = (known?.nextIndex ?? 0n) + (dice.roll() < 0.15 ? 1n : 0n);
    return { network, ledger, nextIndex, lastHash: dice.roll() < 0.1 ? null : (known?.lastHash ?? null) };
  };
  const calls: Readonly<Record<keyof IcrcStore | 'expire', () => Promise<void>>> = {
    loadCursor: () => both('loadCursor', ({ icrc }) => icrc.loadCursor(network, ledger)),
    loadBeginning: () => both('loadBeginning', async ({ icrc }) => (await icrc.loadBeginning(network)) !== null),
    openCursor: async () => {
      const at = await cursor();
      await both('openCursor', ({ icrc }) => icrc.openCursor(at));
    },
    moveCursor: async () => {
      const at = await cursor();
      const count = Math.floor(dice.roll() * 4);
      for (let made = 0; made < count; made += 1) blocks.push(transferAt(at.nextIndex + BigInt(made)));
      const transfers = count === 0 ? [] : blocks.slice(-count);
      const lastHash = new Uint8Array(32).fill(Math.floor(dice.roll() * 256));
      const wholeSinceMs = dice.roll() < 0.7 ? nowMs - Math.floor(dice.roll() * 3_000) : null;
      const read = { nextIndex: at.nextIndex + BigInt(count), lastHash, transfers, wholeSinceMs };
      await both('moveCursor', ({ icrc }) => icrc.moveCursor(at, read, nowMs));
    },
    stopCursor: async () => {
      const at = await cursor();
      if (dice.roll() < 0.3) await both('stopCursor', ({ icrc }) => icrc.stopCursor(at, nowMs));
    },
    keep: async () => {
      const transfer = blocks.length > 0 && dice.roll() < 0.5 ? dice.pick(blocks) : transferAt(BigInt(blocks.length));
      if (!blocks.includes(transfer)) blocks.push(transfer);
      await both('keep', ({ icrc }) => icrc.keep(transfer, nowMs));
    },
    findBlock: async () => {
      const { intentId, intentCode } = dice.pick(intents);
      const index = blocks.length === 0 ? 0n : dice.pick(blocks).index;
      const named = { network, ledger, index, intentCode, intentId, accounts: [merchant] };
      await both('findBlock', ({ icrc }) => icrc.findBlock(named));
    },
    loadDue: () => both('loadDue', ({ icrc }) => icrc.loadDue(network, nowMs, 5)),
    apply: async () => {
      const due = await memory.icrc.loadDue(network, nowMs, 10);
      const transfer = dice.roll() < 0.7 ? due[0] : blocks[0] && dice.pick(blocks);
      if (transfer !== undefined) await both('apply', ({ icrc }) => icrc.apply(transfer, nowMs));
    },
    defer: async () => {
      const [due] = await memory.icrc.loadDue(network, nowMs, 1);
      if (due !== undefined) await both('defer', ({ icrc }) => icrc.defer(due, nowMs + 1_500));
    },
    loadPayable: async () => {
      const { intentId } = dice.pick(intents);
      await both('loadPayable', ({ icrc, owner }) => icrc.loadPayable({ ...owner, intentId }));
    },
    expire: () => both('expire', ({ expire }) => expire(nowMs)),
  };
  for (let call = 0; call < CALLS; call += 1) {
    nowMs += Math.floor(dice.roll() * 2_000);
    await calls[dice.pick(Object.keys(calls) as (keyof typeof calls)[])]();
    if (dice.roll() < 0.4) await calls.apply();
  }
  expect(counts.size).toBe(Object.keys(calls).length);
  const rows = await Promise.all([memory, real].map(rowsOf));
  expect(rows[0]).toEqual(rows[1]);
  expect((await real.read()).payments.length).toBeGreaterThan(5);
  for (const { intentId } of intents) expect(await memory.statusOf(intentId)).toBe(await real.statusOf(intentId));
});

/** Each store names payments by itself. */
function withoutPayment(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'paymentId' in answer ? { ...answer, paymentId: '' } : answer;
}

/** Payments by the block that proves them. */
async function rowsOf(harness: IcrcHarness): Promise<unknown> {
  const { payments, entries, events } = await harness.read();
  const blockOf = new Map(payments.map(({ id, transaction }) => [id, transaction]));
  const sorted = (some: readonly object[]) => some.map((row) => JSON.stringify(plain(row))).toSorted();
  return {
    payments: sorted(payments.map(({ id: _id, ...payment }) => payment)),
    entries: sorted(entries.map((entry) => ({ ...entry, payment: blockOf.get(entry.payment) }))),
    events: sorted(events),
    proofs: sorted((await harness.proofs()).map((proof) => ({ ...proof, payment: blockOf.get(proof.payment ?? '') }))),
  };
}
