import { hasOwnNonce, judgeRefund } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createRefundWorld, type PaymentId, refundParties, signature } from '../testing/refund-world.ts';
import { insertRow } from '../testing/sample-rows.ts';

const { pool } = await createTestDatabase();
const { store, watch, owner, paid, refundable, terms, prepared, submitted, evidence } = createRefundWorld(pool);
const { network: NETWORK, wallet: WALLET, payer: PAYER, relayer: RELAYER, nowMs } = refundParties;

const eventsOf = async (paymentId: PaymentId) => {
  const { rows } = await pool.query<{ type: string; body: { data: { object: Record<string, unknown> } } }>(
    `select type, convert_from(body, 'UTF8')::json as body from svc.events where payment_id = $1 order by sequence`,
    [paymentId],
  );
  return rows.map(({ type, body }) => ({ type, object: body.data.object, body }));
};
const totalsOf = async (paymentId: PaymentId) => {
  const { paidAtomic, refundedAtomic, reservedAtomic } = (await refundable(paymentId)).totals;
  return [paidAtomic, refundedAtomic, reservedAtomic];
};
const entriesOf = async (paymentId: PaymentId, transactionId: string) =>
  (
    await pool.query(
      `select account_name, party, amount, log_index from svc.ledger_entries
       where payment_id = $1 and transaction_id = $2 order by amount`,
      [paymentId, transactionId],
    )
  ).rows;
const paymentRow = async (paymentId: PaymentId) =>
  (await pool.query('select status, refunded_amount from svc.payments where id = $1', [paymentId])).rows[0];

describe('a payment', () => {
  test('shows what its refund needs, and is not refundable before its block is final', async () => {
    const paymentId = await paid();
    const payment = await refundable(paymentId);
    expect(payment).toMatchObject({
      status: 'completed',
      final: true,
      payer: PAYER,
      byContract: false,
      wallet: WALLET,
      wallets: [WALLET],
      nextSequence: 1,
      totals: { paidAtomic: 1_000n, refundedAtomic: 0n, reservedAtomic: 0n },
    });
    expect(judgeRefund(payment, {})).toEqual({ ok: true, amountAtomic: 1_000n, wallet: WALLET });

    const young = await paid({ final: false });
    expect(await refundable(young)).toMatchObject({ final: false });
    expect(await store.recordPrepared(await terms(young, 1n), nowMs)).toEqual({
      ok: false,
      code: 'refund_payment_not_final',
    });
  });

  test('of another account or mode is not there', async () => {
    const paymentId = await paid();
    const stranger = { accountId: newId('account', 1), mode: 'test' as const };
    expect(await store.loadRefundable(stranger, paymentId)).toBeUndefined();
    expect(await store.loadRefundable({ ...owner, mode: 'live' }, paymentId)).toBeUndefined();
    expect(await store.list(stranger, paymentId)).toBeUndefined();
    const { id } = await prepared(paymentId, 10n);
    expect(await store.load(stranger, id)).toBeUndefined();
    expect(await store.submit(stranger, id, signature(1), nowMs)).toEqual({ ok: false, code: 'not_found' });
    expect(await store.cancelPrepared(stranger, id, nowMs)).toEqual({ ok: false, code: 'not_found' });
  });

  test('that somebody else’s transaction paid is final as soon as it is there, and mismatched money is refundable', async () => {
    const paymentId = await paid({ final: false });
    await pool.query(
      `update svc.settlements set foreign_transaction_id = '0xforeign', batch_id = null, relayer = null
       where payment_id = $1`,
      [paymentId],
    );
    await pool.query(`update svc.payments set status = 'mismatched', completed_at = null where id = $1`, [paymentId]);
    expect(await refundable(paymentId)).toMatchObject({ status: 'mismatched', final: true });
    const refund = await submitted(paymentId, 1_000n);
    expect(await watch.complete(refund, evidence(1_000n), nowMs)).toBe('completed');
    expect(await paymentRow(paymentId)).toEqual({ status: 'refunded', refunded_amount: '1000' });
  });
});

describe('a prepared refund', () => {
  test('reserves nothing and uses up no sequence', async () => {
    const paymentId = await paid();
    const [one, other] = [await prepared(paymentId, 400n), await prepared(paymentId, 1_000n)];
    expect([one.status, one.sequence, other.sequence, one.nonce]).toEqual(['prepared', 1, 1, other.nonce]);
    expect(hasOwnNonce((await refundable(paymentId)).installation, one)).toBe(true);
    expect(await totalsOf(paymentId)).toEqual([1_000n, 0n, 0n]);
    expect(await watch.loadOpenRefunds(NETWORK, 0n, 1_000)).not.toContainEqual(expect.objectContaining({ paymentId }));
  });

  test('of more than was paid, with an old sequence, or beside ten others is refused', async () => {
    const paymentId = await paid();
    const refused = async (amount: bigint, change = {}) =>
      store.recordPrepared({ ...(await terms(paymentId, amount)), ...change }, nowMs);
    expect(await refused(1_001n)).toEqual({ ok: false, code: 'refund_exceeds_paid' });
    expect(await refused(1n, { sequence: 2 })).toEqual({ ok: false, code: 'refund_superseded' });
    for (let count = 0; count < 10; count += 1) await prepared(paymentId, 10n);
    expect(await refused(10n)).toEqual({ ok: false, code: 'refund_limit_reached' });
  });

  test('is canceled by the merchant, or when nobody signed it in time, and can then not be submitted', async () => {
    const paymentId = await paid();
    const [one, other] = [await prepared(paymentId, 10n), await prepared(paymentId, 20n)];
    expect(await store.cancelPrepared(owner, one.id, nowMs)).toMatchObject({
      ok: true,
      refund: { status: 'canceled' },
    });
    expect(await store.cancelPrepared(owner, one.id, nowMs)).toMatchObject({ ok: true });
    expect(await store.submit(owner, one.id, signature(1), nowMs)).toEqual({ ok: false, code: 'refund_canceled' });

    const later = other.expiresAtMs ?? 0;
    expect(await store.submit(owner, other.id, signature(1), later)).toEqual({ ok: false, code: 'refund_canceled' });
    expect(await watch.cancelStale(later - 1)).toBe(0);
    expect(await watch.cancelStale(later)).toBeGreaterThan(0);
    expect(await store.load(owner, other.id)).toMatchObject({ status: 'canceled' });
    await watch.cancelStale(later + 31 * 86_400_000);
    expect(await store.load(owner, other.id)).toBeUndefined();
  });
});

describe('a submitted refund', () => {
  test('reserves its amount, and the same signature again answers the same refund', async () => {
    const paymentId = await paid();
    const refund = await submitted(paymentId, 600n);
    expect(refund).toMatchObject({ status: 'queued', sequence: 1, amountAtomic: 600n, submittedAtMs: nowMs });
    expect(await store.submit(owner, refund.id, signature(1), nowMs + 5)).toEqual({ ok: true, refund });
    expect(await store.submit(owner, refund.id, signature(2), nowMs)).toEqual({
      ok: false,
      code: 'refund_already_submitted',
    });
    expect(await totalsOf(paymentId)).toEqual([1_000n, 0n, 600n]);
    expect(await store.cancelPrepared(owner, refund.id, nowMs)).toEqual({ ok: false, code: 'refund_not_cancelable' });
    const [open] = await watch
      .loadOpenRefunds(NETWORK, 0n, 1_000)
      .then((all) => all.filter(({ id }) => id === refund.id));
    expect(open).toMatchObject({
      ...refund,
      ...signature(1),
      batchId: null,
      wallets: [WALLET],
      payment: { payer: PAYER },
    });
  });

  test('of two for one sequence only the first is taken', async () => {
    const paymentId = await paid();
    const [one, other] = [await prepared(paymentId, 10n), await prepared(paymentId, 20n)];
    expect(await store.submit(owner, one.id, signature(1), nowMs)).toMatchObject({ ok: true });
    expect(await store.submit(owner, other.id, signature(2), nowMs)).toEqual({ ok: false, code: 'refund_superseded' });
    expect((await refundable(paymentId)).nextSequence).toBe(2);
  });

  test('is refused beside three open ones of the payment', async () => {
    const paymentId = await paid();
    for (let count = 1; count <= 3; count += 1) await submitted(paymentId, 10n, count);
    const { id } = await prepared(paymentId, 10n);
    expect(await store.submit(owner, id, signature(4), nowMs)).toEqual({ ok: false, code: 'refund_limit_reached' });
  });

  test('partial refunds that race from many connections never exceed what was paid', async () => {
    const paymentId = await paid();
    const attempts = Array.from({ length: 24 }, async (_, index) => {
      // Each prepares and submits until the payment has nothing left for it.
      for (let round = 0; round < 40; round += 1) {
        const made = await store.recordPrepared(await terms(paymentId, 300n), nowMs);
        if (!made.ok) {
          if (made.code === 'refund_exceeds_paid') return;
          continue;
        }
        const sent = await store.submit(owner, made.refund.id, signature(index), nowMs);
        if (!sent.ok) await store.cancelPrepared(owner, made.refund.id, nowMs);
        else await watch.complete(sent.refund, evidence(300n), nowMs);
      }
    });
    await Promise.all(attempts);
    expect(await totalsOf(paymentId)).toEqual([1_000n, 900n, 0n]);
    const all = (await store.list(owner, paymentId)) ?? [];
    const sequences = all.filter(({ status }) => status === 'completed').map(({ sequence }) => sequence);
    expect(sequences.toSorted((one, other) => Number(one) - Number(other))).toEqual([1, 2, 3]);
    expect(await paymentRow(paymentId)).toEqual({ status: 'completed', refunded_amount: '900' });
  });

  test('that both connections submit at once is reserved once', async () => {
    const paymentId = await paid();
    const { id } = await prepared(paymentId, 700n);
    const answers = await Promise.all(Array.from({ length: 8 }, () => store.submit(owner, id, signature(1), nowMs)));
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(await totalsOf(paymentId)).toEqual([1_000n, 0n, 700n]);
  });
});

describe('a completed refund', () => {
  test('of a part tells payment.updated and books, and applied twice changes nothing more', async () => {
    const paymentId = await paid();
    const refund = await submitted(paymentId, 250n);
    const proof = evidence(250n, { gas: { relayer: RELAYER, costAtomic: 9n } });
    expect(await watch.complete(refund, proof, nowMs)).toBe('completed');
    expect(await watch.complete(refund, proof, nowMs)).toBe('completed_before');
    expect(await watch.complete(refund, evidence(250n), nowMs)).toBe('completed_before');

    expect(await totalsOf(paymentId)).toEqual([1_000n, 250n, 0n]);
    expect(await paymentRow(paymentId)).toEqual({ status: 'completed', refunded_amount: '250' });
    expect(await entriesOf(paymentId, proof.transactionId)).toEqual([
      { account_name: 'merchant', party: WALLET, amount: '-250', log_index: 4 },
      { account_name: 'network_cost', party: RELAYER, amount: '-9', log_index: 4 },
      { account_name: 'network_cost', party: 'network', amount: '9', log_index: 4 },
      { account_name: 'payer', party: PAYER, amount: '250', log_index: 4 },
    ]);
    const [event, ...more] = await eventsOf(paymentId);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'payment.updated',
      object: { refundedAmount: '250', returnedAmount: '500', status: 'completed' },
      body: { data: { previous_attributes: { refundedAmount: '0' } } },
    });
    expect(await store.load(owner, refund.id)).toMatchObject({
      status: 'completed',
      transactionId: proof.transactionId,
      logIndex: 4,
      completedAtMs: nowMs,
    });
  });

  test('of the rest makes the payment refunded, and no refund follows', async () => {
    const paymentId = await paid();
    for (const [amount, byte] of [
      [999n, 1],
      [1n, 2],
    ] as const)
      expect(await watch.complete(await submitted(paymentId, amount, byte), evidence(amount), nowMs)).toBe('completed');
    expect(await paymentRow(paymentId)).toEqual({ status: 'refunded', refunded_amount: '1000' });
    const events = await eventsOf(paymentId);
    expect(events.map(({ type }) => type)).toEqual(['payment.updated', 'payment.refunded']);
    expect(events[1]?.object).toMatchObject({ status: 'refunded', refundedAmount: '1000', paidAmount: '1000' });
    expect(judgeRefund(await refundable(paymentId), {})).toEqual({ ok: false, code: 'refund_exceeds_paid' });
    expect(await store.recordPrepared(await terms(paymentId, 1n), nowMs)).toEqual({
      ok: false,
      code: 'refund_exceeds_paid',
    });
  });

  test('is not proven by a log that proves something else, and stays open', async () => {
    const paymentId = await paid();
    const refund = await submitted(paymentId, 100n);
    const { rows } = await pool.query<{ transaction_id: string }>(
      'select transaction_id from svc.payments where id = $1',
      [paymentId],
    );
    const own = evidence(100n, { transactionId: rows[0]?.transaction_id ?? '', logIndex: 1 });
    expect(await watch.complete(refund, own, nowMs)).toBe('taken');
    expect(await store.load(owner, refund.id)).toEqual(refund);
    expect(await totalsOf(paymentId)).toEqual([1_000n, 0n, 100n]);

    const proof = evidence(100n);
    expect(await watch.complete(refund, proof, nowMs)).toBe('completed');
    const second = await submitted(await paid(), 100n);
    expect(await watch.complete(second, proof, nowMs)).toBe('taken');
  });

  test('takes the log that the chain reader stored as a receipt without an intent', async () => {
    const refund = await submitted(await paid(), 100n);
    const proof = evidence(100n);
    await pool.query(
      `insert into svc.log_proofs (network, transaction_id, log_index, mode, reason, log, created_at)
       values ($1, $2, $3, 'test', 'unknown_nonce', '{}', now())`,
      [NETWORK, proof.transactionId, proof.logIndex],
    );
    expect(await watch.complete(refund, proof, nowMs)).toBe('completed');
    const { rows } = await pool.query('select refund_id, reason from svc.log_proofs where transaction_id = $1', [
      proof.transactionId,
    ]);
    expect(rows).toEqual([{ refund_id: refund.id, reason: null }]);
  });

  test('of more than it was signed for counts at most what is left, and books all that moved', async () => {
    const paymentId = await paid();
    const refund = await submitted(paymentId, 100n);
    await submitted(paymentId, 800n, 2);
    const proof = evidence(900n);
    expect(await watch.complete(refund, proof, nowMs)).toBe('completed');
    expect(await totalsOf(paymentId)).toEqual([1_000n, 200n, 800n]);
    expect(await entriesOf(paymentId, proof.transactionId)).toHaveLength(2);
    expect(await store.load(owner, refund.id)).toMatchObject({ amountAtomic: 900n });
  });
});

describe('a failed refund', () => {
  test('releases what it reserved, tells no event and fails once', async () => {
    const paymentId = await paid();
    const refund = await submitted(paymentId, 1_000n);
    expect(await watch.fail(refund, 'refund_expired', nowMs)).toBe(true);
    expect(await watch.fail(refund, 'refund_expired', nowMs)).toBe(false);
    expect(await totalsOf(paymentId)).toEqual([1_000n, 0n, 0n]);
    expect(await eventsOf(paymentId)).toEqual([]);
    expect(await store.load(owner, refund.id)).toMatchObject({ status: 'failed', failureCode: 'refund_expired' });
    await expect(watch.complete(refund, evidence(1_000n), nowMs)).rejects.toThrow('is failed');
    expect((await refundable(paymentId)).nextSequence).toBe(2);
  });
});

describe('a sent refund', () => {
  test('is queued again only when no batch of it is pending or mined', async () => {
    const refund = await submitted(await paid(), 10n);
    expect(await watch.queueAgain(refund, nowMs)).toBe(false);
    const batch = newId('batch', nowMs);
    await insertRow(pool, 'batches', {
      id: batch,
      network: NETWORK,
      relayer: RELAYER,
      nonce: '900000',
      status: 'broadcast',
      transaction_id: '0xsent',
    });
    await pool.query(`update svc.refunds set status = 'sent', relayer = $2, batch_id = $3 where id = $1`, [
      refund.id,
      RELAYER,
      batch,
    ]);
    for (const [status, again] of [
      ['broadcast', false],
      ['mined', false],
      ['replaced', true],
    ] as const) {
      await pool.query('update svc.batches set status = $2 where id = $1', [batch, status]);
      expect(await watch.queueAgain(refund, nowMs)).toBe(again);
    }
    expect(await store.load(owner, refund.id)).toMatchObject({ status: 'queued' });
  });
});

describe('a reported transfer', () => {
  const report = (paymentId: PaymentId, transactionId: string, amountAtomic: bigint | null = null) =>
    store.recordReported(
      {
        ...owner,
        id: newId('refund', nowMs),
        paymentId,
        wallet: WALLET,
        recipient: PAYER,
        reason: null,
        reported: { transactionId, logIndex: null },
        amountAtomic,
      },
      nowMs,
    );

  test('reserves all that is left, takes no sequence, and is answered again when it is reported again', async () => {
    const paymentId = await paid();
    await submitted(paymentId, 400n);
    const first = await report(paymentId, '0xown');
    expect(first).toMatchObject({ ok: true, refund: { status: 'queued', kind: 'reported', sequence: null } });
    expect(await report(paymentId, '0xown')).toEqual(first);
    expect(await totalsOf(paymentId)).toEqual([1_000n, 400n - 400n, 1_000n]);
    expect((await refundable(paymentId)).nextSequence).toBe(2);
    expect(await report(paymentId, '0xother')).toEqual({ ok: false, code: 'refund_exceeds_paid' });
  });

  test('of more than is left proves no refund; one that fits completes with the amount of its log', async () => {
    const paymentId = await paid();
    const answer = await report(paymentId, '0xown2', 10n);
    if (!answer.ok) throw new Error(answer.code);
    expect(await totalsOf(paymentId)).toEqual([1_000n, 0n, 10n]);
    expect(await watch.complete(answer.refund, evidence(1_001n), nowMs)).toBe('exceeds');
    expect(await watch.complete(answer.refund, evidence(300n), nowMs)).toBe('completed');
    expect(await totalsOf(paymentId)).toEqual([1_000n, 300n, 0n]);
    expect(await store.load(owner, answer.refund.id)).toMatchObject({ amountAtomic: 300n, status: 'completed' });
  });
});

describe('a refund that a restored database finds on chain', () => {
  const found = async (paymentId: PaymentId, sequence: number) => {
    const { nonce } = await terms(paymentId, 1n);
    const id = newId('refund', nowMs);
    const kind = 'authorization' as const;
    return store.recordFound(
      { ...owner, id, paymentId, wallet: WALLET, recipient: PAYER, kind, sequence, nonce },
      nowMs,
    );
  };

  test('reserves all that is left until its log tells the amount, and no second refund gets its sequence', async () => {
    const paymentId = await paid();
    const answer = await found(paymentId, 1);
    if (!answer.ok) throw new Error(answer.code);
    expect(answer.refund).toMatchObject({ status: 'queued', amountAtomic: null, sequence: 1 });
    expect(await found(paymentId, 1)).toEqual(answer);
    expect(await totalsOf(paymentId)).toEqual([1_000n, 0n, 1_000n]);
    expect(judgeRefund(await refundable(paymentId), {})).toEqual({ ok: false, code: 'refund_exceeds_paid' });

    expect(await watch.complete(answer.refund, evidence(700n), nowMs)).toBe('completed');
    expect(await totalsOf(paymentId)).toEqual([1_000n, 700n, 0n]);
    expect((await refundable(paymentId)).nextSequence).toBe(2);
  });

  test('skips the sequences before it', async () => {
    const paymentId = await paid();
    expect(await found(paymentId, 4)).toMatchObject({ ok: true });
    expect((await refundable(paymentId)).nextSequence).toBe(5);
  });
});

test('what a key does with refunds is in the audit record, once each, and what is refused is not', async () => {
  const keyId = newId('key', nowMs);
  const caller = { ...owner, keyId };
  const paymentId = await paid();
  const prepare = async (amount: bigint) => {
    const made = await store.recordPrepared({ ...(await terms(paymentId, amount)), keyId }, nowMs);
    if (!made.ok) throw new Error(made.code);
    return made.refund.id;
  };
  const [kept, given] = [await prepare(10n), await prepare(20n)];
  for (let time = 0; time < 2; time += 1) {
    const submits = Array.from({ length: 6 }, () => store.submit(caller, kept, signature(1), nowMs));
    expect((await Promise.all(submits)).map(({ ok }) => ok)).toEqual(Array(6).fill(true));
    expect(await store.cancelPrepared(caller, given, nowMs)).toMatchObject({ ok: true });
  }
  expect(await store.submit(caller, given, signature(2), nowMs)).toMatchObject({ ok: false });
  expect(await store.cancelPrepared(caller, kept, nowMs)).toMatchObject({ ok: false });
  const { rows } = await pool.query<{ line: string; detail: object }>(
    `select action || ' ' || target as line, detail from svc.audit where actor = $1 order by action, target`,
    [`key:${keyId}`],
  );
  expect(rows.map(({ line }) => line).toSorted()).toEqual(
    [
      `refund.prepared ${kept}`,
      `refund.prepared ${given}`,
      `refund.submitted ${kept}`,
      `refund.canceled ${given}`,
    ].toSorted(),
  );
  expect(rows.find(({ line }) => line === `refund.prepared ${kept}`)?.detail).toEqual({
    paymentId,
    amount: '10',
    wallet: WALLET,
    recipient: PAYER,
  });
});
