// What every RefundStore and RefundWatchStore guarantees: whatever is submitted twice, raced or proven again, a payment is
// refunded at most once and for at most what was paid.
import { expect, test } from 'vitest';
import { hasOwnNonce, type RefundStore } from '../index.ts';
import { type PaymentId, type RefundHarness, refundSignature, refundSteps } from './refund-harness.ts';

export type StoredRefundRows = {
  readonly readPayment: (paymentId: PaymentId) => Promise<{
    readonly status: string | undefined;
    readonly refunded: bigint | null;
    /** Types of its events, in order. */
    readonly events: readonly string[];
  }>;
  readonly readEntries: (
    transactionId: string,
  ) => Promise<readonly { readonly account: string; readonly party: string; readonly amount: bigint }[]>;
};

export function testRefundStore(harness: RefundHarness & StoredRefundRows): void {
  const { store, watch, owner, network, wallet, payer, nowMs, paid, readPayment, readEntries } = harness;
  const { refundable, terms, prepared, submitted, evidence } = refundSteps(harness);
  const totalsOf = async (paymentId: PaymentId) => {
    const { paidAtomic, refundedAtomic, reservedAtomic } = (await refundable(paymentId)).totals;
    return [paidAtomic, refundedAtomic, reservedAtomic];
  };
  const openOf = async (paymentId: PaymentId) =>
    (await watch.loadOpenRefunds(network, 0n, 1_000)).filter((open) => open.paymentId === paymentId);
  const codeOf = (answer: Awaited<ReturnType<RefundStore['submit']>>) =>
    answer.ok ? answer.refund.status : answer.code;

  test('a payment is refundable when its block is final', async () => {
    const paymentId = await paid();
    expect(await refundable(paymentId)).toMatchObject({
      status: 'completed',
      final: true,
      payer,
      byContract: false,
      wallet,
      wallets: [wallet],
      nextSequence: 1,
      totals: { paidAtomic: 1_000n, refundedAtomic: 0n, reservedAtomic: 0n },
    });
    expect(await refundable(await paid({ final: false }))).toMatchObject({ final: false });
  });

  test('no refund of a payment begins before its batch is final, prepared, reported or found on chain', async () => {
    const paymentId = await paid({ final: false });
    const { kind, sequence, nonce, ...given } = await terms(paymentId, 1n);
    const { id, recipient, reason } = given;
    const asked = { ...owner, id, paymentId, wallet, recipient };
    const reported = { transactionId: `0x${'7'.repeat(64)}`, logIndex: null };
    const answers = [
      await store.recordPrepared({ ...given, kind, sequence, nonce }, nowMs),
      await store.recordReported({ ...asked, reason, reported, amountAtomic: 1n }, nowMs),
      await store.recordFound({ ...asked, kind, sequence, nonce }, nowMs),
    ];
    expect(answers.map(codeOf)).toEqual(Array(3).fill('refund_payment_not_final'));
    expect(await store.list(owner, paymentId)).toEqual([]);
    expect(await totalsOf(paymentId)).toEqual([1_000n, 0n, 0n]);
  });

  test('a prepared refund reserves nothing, and is refused above what was paid, out of sequence, or beside ten', async () => {
    const paymentId = await paid();
    const refused = async (amount: bigint, change = {}) =>
      codeOf(await store.recordPrepared({ ...(await terms(paymentId, amount)), ...change }, nowMs));
    expect(await refused(1_001n)).toBe('refund_exceeds_paid');
    expect(await refused(1n, { sequence: 2 })).toBe('refund_superseded');
    const one = await prepared(paymentId, 400n);
    expect(one).toMatchObject({ status: 'prepared', sequence: 1, amountAtomic: 400n, createdAtMs: nowMs });
    expect(hasOwnNonce((await refundable(paymentId)).installation, one)).toBe(true);
    expect(await refused(9n)).toBe('refund_too_small');
    for (let count = 1; count < 10; count += 1) await prepared(paymentId, 10n);
    expect(await refused(10n)).toBe('refund_limit_reached');
    expect(await totalsOf(paymentId)).toEqual([1_000n, 0n, 0n]);
    expect(await openOf(paymentId)).toEqual([]);
  });

  test('what the policy gives back can be refunded, however little it is', async () => {
    const paymentId = await paid({ dueAtomic: 5n });
    expect(await refundable(paymentId)).toMatchObject({ dueAtomic: 5n });
    expect(codeOf(await store.recordPrepared(await terms(paymentId, 4n), nowMs))).toBe('refund_too_small');
    await submitted(paymentId, 5n);
    expect(await totalsOf(paymentId)).toEqual([1_000n, 0n, 5n]);
    expect(codeOf(await store.recordPrepared(await terms(paymentId, 9n), nowMs))).toBe('refund_too_small');
  });

  test('no refund is written of a wallet that payouts of the account do not pay', async () => {
    const paymentId = await paid();
    const { reason, recipient, ...given } = await terms(paymentId, 1n);
    const { id, kind, sequence, nonce } = given;
    const foreign = { ...owner, id, paymentId, wallet: payer, recipient };
    const reported = { transactionId: `0x${'8'.repeat(64)}`, logIndex: null };
    const answers = [
      await store.recordPrepared({ ...given, ...foreign, reason }, nowMs),
      await store.recordReported({ ...foreign, reason, reported, amountAtomic: 1n }, nowMs),
      await store.recordFound({ ...foreign, kind, sequence, nonce }, nowMs),
    ];
    expect(answers.map(codeOf)).toEqual(Array(3).fill('refund_wallet_unknown'));
    expect(await totalsOf(paymentId)).toEqual([1_000n, 0n, 0n]);
  });

  test('a prepared refund that is canceled or stale cannot be submitted', async () => {
    const paymentId = await paid();
    const [one, other] = [await prepared(paymentId, 10n), await prepared(paymentId, 20n)];
    expect(codeOf(await store.cancelPrepared(owner, one.id, nowMs))).toBe('canceled');
    expect(codeOf(await store.cancelPrepared(owner, one.id, nowMs))).toBe('canceled');
    expect(codeOf(await store.submit(owner, one.id, refundSignature(1), nowMs))).toBe('refund_canceled');
    const laterMs = other.expiresAtMs ?? 0;
    expect(codeOf(await store.submit(owner, other.id, refundSignature(1), laterMs))).toBe('refund_canceled');
    expect(await watch.cancelStale(laterMs)).toBeGreaterThan(0);
    expect(await store.load(owner, other.id)).toMatchObject({ status: 'canceled' });
    expect(await store.list(owner, paymentId)).toHaveLength(2);
    await watch.cancelStale(laterMs + 31 * 86_400_000);
    expect(await store.load(owner, other.id)).toBeUndefined();
  });

  test('a submitted refund reserves once, and one sequence has one signature', async () => {
    const paymentId = await paid();
    const [one, other] = [await prepared(paymentId, 600n), await prepared(paymentId, 500n)];
    const submit = (id: typeof one.id, byte: number) => store.submit(owner, id, refundSignature(byte), nowMs);
    const first = await submit(one.id, 1);
    expect(first).toMatchObject({ ok: true, refund: { status: 'queued', submittedAtMs: nowMs } });
    expect(await submit(one.id, 1)).toEqual(first);
    expect(codeOf(await submit(one.id, 2))).toBe('refund_already_submitted');
    expect(codeOf(await submit(other.id, 2))).toBe('refund_exceeds_paid');
    expect(codeOf(await store.cancelPrepared(owner, one.id, nowMs))).toBe('refund_not_cancelable');
    expect(await totalsOf(paymentId)).toEqual([1_000n, 0n, 600n]);
    expect(await openOf(paymentId)).toMatchObject([
      {
        id: one.id,
        ...refundSignature(1),
        batchId: null,
        signedTransactionIds: [],
        wallets: [wallet],
        payment: { payer, blockNumber: expect.any(BigInt) },
      },
    ]);
    const small = await paid();
    const [left, right] = [await prepared(small, 10n), await prepared(small, 20n)];
    expect(codeOf(await submit(left.id, 1))).toBe('queued');
    expect(codeOf(await submit(right.id, 2))).toBe('refund_superseded');
    for (const byte of [2, 3]) await submitted(small, 10n, byte);
    expect(codeOf(await submit((await prepared(small, 10n)).id, 4))).toBe('refund_limit_reached');
  });

  test('a part leaves its payment completed and tells of it; the last part makes it refunded', async () => {
    const paymentId = await paid();
    const one = await submitted(paymentId, 400n);
    const shown = evidence(400n);
    expect(await watch.complete(one, shown, nowMs)).toBe('completed');
    expect(await watch.complete(one, shown, nowMs)).toBe('completed_before');
    expect(await readPayment(paymentId)).toMatchObject({ status: 'completed', refunded: 400n });
    expect(await totalsOf(paymentId)).toEqual([1_000n, 400n, 0n]);
    expect((await readEntries(shown.transactionId)).toSorted((a, b) => (a.amount < b.amount ? -1 : 1))).toEqual([
      { account: 'merchant', party: wallet, amount: -400n },
      { account: 'payer', party: payer, amount: 400n },
    ]);
    const other = await submitted(paymentId, 600n, 2);
    expect(other.sequence).toBe(2);
    expect(await watch.complete(other, shown, nowMs)).toBe('taken');
    expect(await watch.complete(other, evidence(600n), nowMs)).toBe('completed');
    const { events, ...payment } = await readPayment(paymentId);
    expect(payment).toEqual({ status: 'refunded', refunded: 1_000n });
    expect(events.slice(-2)).toEqual(['payment.updated', 'payment.refunded']);
    expect(await openOf(paymentId)).toEqual([]);
    expect(codeOf(await store.recordPrepared(await terms(paymentId, 1n), nowMs))).toBe('refund_exceeds_paid');
  });

  test('a failed refund frees its amount once, and is never completed afterwards', async () => {
    const paymentId = await paid();
    const refund = await submitted(paymentId, 1_000n);
    expect(await watch.fail(refund, 'refund_expired', nowMs)).toBe(true);
    expect(await watch.fail(refund, 'refund_expired', nowMs)).toBe(false);
    expect(await totalsOf(paymentId)).toEqual([1_000n, 0n, 0n]);
    expect(await store.load(owner, refund.id)).toMatchObject({ status: 'failed', failureCode: 'refund_expired' });
    await expect(watch.complete(refund, evidence(1_000n), nowMs)).rejects.toThrow('is failed');
    expect(await readPayment(paymentId)).toMatchObject({ status: 'completed', refunded: null });
    expect((await refundable(paymentId)).nextSequence).toBe(2);
    expect(await watch.queueAgain(refund, nowMs)).toBe(false);
  });

  test('a reported transfer is taken once and counts when it fits; a refund found on chain holds all that is left', async () => {
    const paymentId = await paid();
    const { id, reason, recipient } = await terms(paymentId, 1n);
    const asked = { ...owner, id, paymentId, wallet, recipient, reason };
    const reported = {
      ...asked,
      reported: { transactionId: `0x${'9'.repeat(64)}`, logIndex: null },
      amountAtomic: 300n,
    };
    const first = await store.recordReported(reported, nowMs);
    expect(first).toMatchObject({ ok: true, refund: { kind: 'reported', status: 'queued', amountAtomic: null } });
    expect(await store.recordReported({ ...reported, id: (await terms(paymentId, 1n)).id }, nowMs)).toEqual(first);
    expect(await totalsOf(paymentId)).toEqual([1_000n, 0n, 300n]);
    const [open] = await openOf(paymentId);
    expect(open).toMatchObject({ signature: null });
    if (open === undefined) throw new Error('not open');
    expect(await watch.complete(open, evidence(1_001n), nowMs)).toBe('exceeds');
    expect(await watch.complete(open, evidence(200n), nowMs)).toBe('completed');
    const { sequence, nonce, id: foundId } = await terms(paymentId, 1n);
    const found = {
      ...owner,
      id: foundId,
      paymentId,
      wallet,
      recipient,
      kind: 'authorization',
      sequence,
      nonce,
    } as const;
    expect(await store.recordFound(found, nowMs)).toMatchObject({ ok: true, refund: { sequence: 1 } });
    expect(await store.recordFound(found, nowMs)).toMatchObject({ ok: true, refund: { id: foundId } });
    expect(await totalsOf(paymentId)).toEqual([1_000n, 200n, 800n]);
    const [lost] = await openOf(paymentId);
    if (lost === undefined) throw new Error('not open');
    expect(await watch.complete(lost, evidence(900n), nowMs)).toBe('completed');
    expect(await totalsOf(paymentId)).toEqual([1_000n, 1_000n, 0n]);
    expect(await readPayment(paymentId)).toMatchObject({ status: 'refunded', refunded: 1_000n });
  });
}
