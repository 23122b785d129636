// What a store of token ledgers does, whatever it is made of.
import { describe, expect, test } from 'vitest';
import { blockName, type IcrcTransfer, type LedgerCursor, receiptIndex } from '../index.ts';
import { DOLLAR_ATOMIC, type IcrcHarness, type LedgerIntent } from './icrc-harness.ts';
import { sampleAccount } from './memory-icrc-seed.ts';

const HASH = new Uint8Array(32).fill(9);
const PAYER = sampleAccount(9);
const NOWHERE = { intentCode: 5n } as const;

const transferOf = (
  { network, ledger, merchant, nowMs }: IcrcHarness,
  { intentCode }: Pick<LedgerIntent, 'intentCode'>,
  change: Partial<IcrcTransfer> = {},
): IcrcTransfer => ({
  network,
  ledger,
  index: 0n,
  from: PAYER,
  to: merchant,
  amountAtomic: DOLLAR_ATOMIC,
  intentCode,
  blockTimeMs: nowMs(),
  ...change,
});

const cursorAt = ({ network, ledger }: IcrcHarness, nextIndex: bigint): LedgerCursor => ({
  network,
  ledger,
  nextIndex,
  lastHash: HASH,
});

async function applied(harness: IcrcHarness, transfer: IcrcTransfer) {
  await harness.icrc.keep(transfer, harness.nowMs());
  return harness.icrc.apply(transfer, harness.nowMs());
}

export function testIcrcStore(create: () => Promise<IcrcHarness>): void {
  const due = ({ icrc, network, nowMs }: IcrcHarness) => icrc.loadDue(network, nowMs() + 10_000, 10);
  const load = ({ icrc, network, ledger }: IcrcHarness) => icrc.loadCursor(network, ledger);
  const passed = { lastHash: HASH, transfers: [], wholeSinceMs: null } as const;

  describe('the cursor of a token ledger', () => {
    test('is opened once, and the first payout tells where to begin', async () => {
      const harness = await create();
      const { icrc, network } = harness;
      expect(await icrc.loadBeginning(network)).toBe(harness.beganAtMs);
      expect(await load(harness)).toBeUndefined();
      await icrc.openCursor(cursorAt(harness, 3n));
      await icrc.openCursor(cursorAt(harness, 8n));
      expect(await load(harness)).toMatchObject({ nextIndex: 3n, isStopped: false, readAtMs: null });
    });

    test('moves with the transfers that it passes, and from where it stands alone', async () => {
      const harness = await create();
      const { icrc, nowMs } = harness;
      const intent = await harness.offer();
      await icrc.openCursor(cursorAt(harness, 0n));
      const transfers = [transferOf(harness, intent), transferOf(harness, intent, { index: 1n, to: sampleAccount(8) })];
      const read = { ...passed, nextIndex: 2n, transfers, wholeSinceMs: nowMs() };
      expect(await icrc.moveCursor(cursorAt(harness, 1n), read, nowMs())).toBe(false);
      const anew = { ...cursorAt(harness, 0n), lastHash: new Uint8Array(32) };
      expect(await icrc.moveCursor(anew, read, nowMs())).toBe(false);
      expect(await due(harness)).toEqual([]);
      expect(await icrc.moveCursor(cursorAt(harness, 0n), read, nowMs())).toBe(true);
      expect(await icrc.moveCursor(cursorAt(harness, 0n), read, nowMs())).toBe(false);
      expect(await load(harness)).toMatchObject({ nextIndex: 2n, readAtMs: nowMs() });
      expect(await due(harness)).toEqual([{ ...transfers[0], tries: 0 }]);
    });

    test('that stopped goes on with a block, and not with an empty answer', async () => {
      const harness = await create();
      const { icrc, nowMs } = harness;
      await icrc.openCursor(cursorAt(harness, 2n));
      await icrc.stopCursor(cursorAt(harness, 1n), nowMs());
      await icrc.stopCursor({ ...cursorAt(harness, 2n), lastHash: null }, nowMs());
      expect(await load(harness)).toMatchObject({ isStopped: false });
      await icrc.stopCursor(cursorAt(harness, 2n), nowMs());
      const whole = { ...passed, wholeSinceMs: nowMs() };
      expect(await icrc.moveCursor(cursorAt(harness, 2n), { ...whole, nextIndex: 2n }, nowMs())).toBe(true);
      expect(await load(harness)).toMatchObject({ isStopped: true, readAtMs: null });
      expect(await icrc.moveCursor(cursorAt(harness, 2n), { ...whole, nextIndex: 3n }, nowMs())).toBe(true);
      const earlier = { ...passed, nextIndex: 3n, wholeSinceMs: nowMs() - 5_000 };
      expect(await icrc.moveCursor(cursorAt(harness, 3n), earlier, nowMs())).toBe(true);
      expect(await load(harness)).toMatchObject({ isStopped: false, readAtMs: nowMs() });
    });
  });

  describe('a transfer of a token ledger', () => {
    test('counts once: it completes its intent, and again it is recorded', async () => {
      const harness = await create();
      const intent = await harness.offer();
      const transfer = transferOf(harness, intent, { index: 7n });
      expect(await applied(harness, transfer)).toMatchObject({ outcome: 'completed', intentId: intent.intentId });
      const rows = await harness.read();
      const [payment] = rows.payments;
      expect(payment).toMatchObject({
        status: 'completed',
        settlement: 'completed',
        intentStatus: 'completed',
        transaction: blockName(transfer),
        paid: DOLLAR_ATOMIC,
        named: true,
      });
      const entries = rows.entries.map(({ account, amount }) => [account, amount]);
      expect(Object.fromEntries(entries)).toEqual({ payer: -DOLLAR_ATOMIC, merchant: DOLLAR_ATOMIC });
      const recorded = { outcome: 'recorded', paymentId: payment?.id };
      expect(await harness.icrc.apply(transfer, harness.nowMs())).toEqual(recorded);
      expect(await applied(harness, transfer)).toEqual(recorded);
      expect(await due(harness)).toEqual([]);
      expect(await harness.read()).toEqual(rows);
      expect(await harness.proofs()).toEqual([
        { transaction: blockName(transfer), logIndex: 0, payment: payment?.id, reason: null },
      ]);
    });

    test('of less is a part, and the part that reaches the sum completes the intent', async () => {
      const harness = await create();
      const intent = await harness.offer();
      const part = transferOf(harness, intent, { amountAtomic: 400_000n });
      expect(await applied(harness, part)).toMatchObject({ outcome: 'mismatched', reason: 'underpaid' });
      expect(await harness.statusOf(intent.intentId)).toBe('mismatched');
      const rest = transferOf(harness, intent, { index: 1n, amountAtomic: 700_000n });
      expect(await applied(harness, rest)).toMatchObject({ outcome: 'completed' });
      const more = transferOf(harness, intent, { index: 2n });
      expect(await applied(harness, more)).toMatchObject({ outcome: 'mismatched', reason: 'intent_not_payable' });
      expect((await harness.read()).payments).toMatchObject([
        { status: 'mismatched', paid: 400_000n, refundDue: null },
        { status: 'completed', paid: 700_000n, paidTotal: 1_100_000n, refundDue: 100_000n },
        { status: 'mismatched', paid: DOLLAR_ATOMIC, refundDue: DOLLAR_ATOMIC },
      ]);
    });

    test('that is late, or of another sender, is a payment beside its intent', async () => {
      const harness = await create();
      const late = await harness.offer({ expiresInMs: -1_000 });
      const foreign = await harness.offer({ expectedSender: PAYER });
      expect(await applied(harness, transferOf(harness, late))).toMatchObject({ reason: 'intent_expired' });
      const from = sampleAccount(10);
      expect(await applied(harness, transferOf(harness, foreign, { index: 1n, from }))).toMatchObject({
        reason: 'other_sender',
      });
      const own = transferOf(harness, foreign, { index: 2n, from: sampleAccount(9, 3) });
      expect(await applied(harness, own)).toMatchObject({ outcome: 'completed' });
      expect(await harness.statusOf(late.intentId)).toBe('requires_payment');
    });

    test('that pays no intent is a receipt, and one to nobody’s account is not kept', async () => {
      const harness = await create();
      const intent = await harness.offer();
      const asked: readonly [IcrcTransfer, string][] = [
        [transferOf(harness, NOWHERE), 'unknown_intent'],
        [transferOf(harness, intent, { index: 1n, to: harness.rival }), 'other_terms'],
        [transferOf(harness, intent, { index: 2n, amountAtomic: 1n }), 'below_minimum'],
      ];
      for (const [transfer, reason] of asked) {
        expect(await applied(harness, transfer)).toEqual({ outcome: 'unattributed', reason });
        expect(await applied(harness, transfer)).toEqual({ outcome: 'unattributed', reason });
        expect(await harness.icrc.apply(transfer, harness.nowMs())).toEqual({ outcome: 'unattributed', reason });
      }
      const elsewhere = transferOf(harness, intent, { index: 3n, to: sampleAccount(8) });
      expect(await applied(harness, elsewhere)).toEqual({ outcome: 'ignored', reason: 'not_kept' });
      const receipts = asked.map(([transfer, reason]) => ({
        transaction: blockName(transfer),
        logIndex: receiptIndex(transfer.intentCode),
        payment: null,
        reason,
      }));
      expect(await harness.proofs()).toEqual(receipts);
      expect((await harness.read()).payments).toEqual([]);
    });

    test('that is older than its intent by more than clocks differ is a receipt, and pays nothing', async () => {
      const harness = await create();
      const createdAtMs = harness.nowMs();
      const intent = await harness.offer();
      const old = transferOf(harness, intent, { blockTimeMs: createdAtMs - 61_000 });
      const receipt = { outcome: 'unattributed', reason: 'unknown_intent' };
      expect(await applied(harness, old)).toEqual(receipt);
      expect(await applied(harness, old)).toEqual(receipt);
      expect(await harness.statusOf(intent.intentId)).toBe('requires_payment');
      const young = transferOf(harness, intent, { index: 1n, blockTimeMs: createdAtMs - 50_000 });
      expect(await applied(harness, young)).toMatchObject({ outcome: 'completed' });
      expect((await harness.proofs()).map(({ reason }) => reason)).toEqual(['unknown_intent', null]);
    });

    test('that was set aside stays so, whatever is told of the same block later', async () => {
      const harness = await create();
      const intent = await harness.offer();
      const aside = transferOf(harness, intent, { to: harness.rival });
      const receipt = { outcome: 'unattributed', reason: 'other_terms' };
      expect(await applied(harness, aside)).toEqual(receipt);
      expect(await applied(harness, { ...aside, to: harness.merchant })).toEqual(receipt);
      expect(await due(harness)).toEqual([]);
      expect(await harness.statusOf(intent.intentId)).toBe('requires_payment');
      expect((await harness.proofs()).map(({ reason }) => reason)).toEqual(['other_terms']);
    });

    test('is due until it is applied, later when it was put off, and a kept one stays as it is', async () => {
      const harness = await create();
      const { icrc, network, nowMs } = harness;
      const [one, other] = [transferOf(harness, NOWHERE, { index: 1n }), transferOf(harness, NOWHERE, { index: 0n })];
      const now = nowMs();
      for (const transfer of [one, other, { ...one, amountAtomic: 1n }]) await icrc.keep(transfer, now);
      const loaded = await icrc.loadDue(network, now, 10);
      expect(loaded).toEqual([other, one].map((transfer) => ({ ...transfer, tries: 0 })));
      expect(await icrc.loadDue(network, now, 1)).toHaveLength(1);
      expect(await icrc.loadDue(network, now - 1, 10)).toEqual([]);
      await icrc.defer({ ...other, tries: 0 }, now + 1_000);
      expect(await icrc.loadDue(network, now, 10)).toEqual([{ ...one, tries: 0 }]);
      expect((await icrc.loadDue(network, now + 1_000, 10)).map(({ tries }) => tries)).toEqual([0, 1]);
    });

    test('is known: as kept for its intent, as its intent’s, as another’s, or not at all', async () => {
      const harness = await create();
      const { icrc, network, ledger } = harness;
      const [intent, other] = [await harness.offer(), await harness.offer()];
      const transfer = transferOf(harness, intent);
      const known = async (index: bigint) =>
        Promise.all(
          [intent, other].map(({ intentCode, intentId }) =>
            icrc.findBlock({ network, ledger, index, intentCode, intentId, accounts: [harness.merchant] }),
          ),
        );
      expect(await known(0n)).toEqual([undefined, undefined]);
      await icrc.keep(transfer, harness.nowMs());
      expect(await known(0n)).toEqual(['kept', 'of_another_intent']);
      await icrc.apply(transfer, harness.nowMs());
      expect(await known(0n)).toEqual(['of_intent', 'of_another_intent']);
      await applied(harness, transferOf(harness, NOWHERE, { index: 1n }));
      expect(await known(1n)).toEqual([undefined, undefined]);
      await applied(harness, transferOf(harness, intent, { index: 3n, amountAtomic: 1n }));
      expect(await known(3n)).toEqual(['too_little', undefined]);
      await applied(harness, transferOf(harness, intent, { index: 4n, blockTimeMs: harness.nowMs() - 3_600_000 }));
      expect(await known(4n)).toEqual(['set_aside', undefined]);
      await applied(harness, transferOf(harness, intent, { index: 5n, to: harness.rival }));
      expect(await known(5n)).toEqual([undefined, undefined]);
      // It is kept for the account of another payout, and pays no intent.
      await icrc.keep(transferOf(harness, intent, { index: 2n, to: harness.rival }), harness.nowMs());
      expect(await known(2n)).toEqual([undefined, 'of_another_intent']);
    });

    test('may pay an intent of its owner where that is offered', async () => {
      const harness = await create();
      const { icrc, owner, network, ledger, merchant } = harness;
      const { intentId, intentCode } = await harness.offer();
      const ways = [{ network, token: ledger, payTo: merchant }];
      expect(await icrc.loadPayable({ ...owner, intentId })).toEqual({ intentCode, ways });
      expect(await icrc.loadPayable({ ...owner, mode: 'live', intentId })).toBeUndefined();
    });
  });

  test('an intent expires when its ledger was read past its end and nothing of it waits, or after an hour', async () => {
    const harness = await create();
    const { icrc } = harness;
    const [paid, unpaid] = [await harness.offer({ expiresInMs: 1_000 }), await harness.offer({ expiresInMs: 1_000 })];
    const endMs = harness.nowMs() + 1_000;
    const statuses = async () => [await harness.statusOf(paid.intentId), await harness.statusOf(unpaid.intentId)];
    // The ledger has no cursor: it was reset, or never read.
    await harness.expire(endMs + 3_500_000);
    expect(await statuses()).toEqual(['requires_payment', 'requires_payment']);
    await icrc.openCursor(cursorAt(harness, 0n));
    await icrc.keep(transferOf(harness, paid), harness.nowMs());
    await harness.expire(endMs + 3_500_000);
    expect(await statuses()).toEqual(['requires_payment', 'requires_payment']);
    const read = { ...passed, nextIndex: 1n, wholeSinceMs: endMs + 50_000 };
    await icrc.moveCursor(cursorAt(harness, 0n), read, harness.nowMs());
    await harness.expire(endMs + 3_500_000);
    expect(await statuses()).toEqual(['requires_payment', 'requires_payment']);
    await icrc.moveCursor(cursorAt(harness, 1n), { ...read, wholeSinceMs: endMs + 61_000 }, harness.nowMs());
    await harness.expire(endMs + 100_000);
    expect(await statuses()).toEqual(['requires_payment', 'canceled']);
    await icrc.apply(transferOf(harness, paid), harness.nowMs());
    expect(await statuses()).toEqual(['completed', 'canceled']);
    const unread = await harness.offer({ expiresInMs: 90_000_000 });
    await harness.expire(harness.nowMs() + 90_000_000 + 3_590_000);
    expect(await harness.statusOf(unread.intentId)).toBe('requires_payment');
    await harness.expire(harness.nowMs() + 90_000_000 + 3_610_000);
    expect(await harness.statusOf(unread.intentId)).toBe('canceled');
  });
}
