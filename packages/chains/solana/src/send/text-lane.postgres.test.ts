// Payments by signed text in a lane: like every other payment, with a receipt on chain besides.
import { generateKeyPairSigner } from '@solana/kit';
import { laneRound } from '@svc-pay/core';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, onTestFinished, test } from 'vitest';
import { buildMessageItem } from '../message/build-message-item.ts';
import { receiptOf } from '../message/program-accounts.ts';
import { RECEIPT_LAMPORTS } from '../message/program-codes.ts';
import { buildPayment, messageBudget, signSingle } from '../message/sign-payment.ts';
import { verifyText } from '../message/verify-text.ts';
import { AMOUNT, createSolanaLaneWorld, type SolanaLaneWorld } from '../testing/lane-world.ts';
import { queueText } from '../testing/queue-text.ts';
import { priorityLamports } from '../transfer/compute-budget.ts';

async function world(): Promise<SolanaLaneWorld> {
  const { pool } = await createTestDatabase();
  const made = await createSolanaLaneWorld(pool);
  onTestFinished(() => made.chain.stop());
  made.chain.ledger.unixSeconds = BigInt(Math.floor(Date.now() / 1_000));
  return made;
}

const booked = async ({ pool }: SolanaLaneWorld, paymentId: string) =>
  (
    await pool.query<{ account_name: string; asset: string; amount: string }>(
      `select account_name, case asset when 'native' then 'lamports' else 'tokens' end as asset, sum(amount)::text as amount
       from svc.ledger_entries where payment_id = $1 and amount > 0 group by 1, 2 order by 1`,
      [paymentId],
    )
  ).rows.map(({ account_name, asset, amount }) => `${account_name} ${amount} ${asset}`);

test('the relayer alone signs the transaction; it is stored before it is sent, proven and booked; lent rent is no cost', async () => {
  const lane = await world();
  const { relayer } = lane.actors;
  const before = lane.chain.ledger.account(relayer.address)!.lamports;
  const { paymentId, terms } = await queueText(lane);
  const stored: number[] = [];
  const { broadcast } = lane.deps.chain;
  await lane.settle({
    ...lane.deps,
    chain: {
      ...lane.deps.chain,
      broadcast: async (raw) => {
        const values = [Buffer.from(raw)];
        const found = await lane.pool.query('select from svc.batch_transactions where raw_transaction = $1', values);
        stored.push(found.rowCount ?? 0);
        return broadcast(raw);
      },
    },
  });
  expect(new Set(stored)).toEqual(new Set([1]));
  expect(await lane.statusOf(paymentId)).toEqual({ payment: 'completed', intent: 'completed', code: null });
  expect(await lane.balanceOf(lane.actors.merchant)).toBe(990_000n);
  const cost = 10_000n + priorityLamports(messageBudget(2));
  expect(cost).toBe(10_800n);
  expect(before - lane.chain.ledger.account(relayer.address)!.lamports).toBe(cost + RECEIPT_LAMPORTS);
  expect(lane.chain.ledger.account((await receiptOf(terms)).address)?.lamports).toBe(RECEIPT_LAMPORTS);
  expect(await booked(lane, paymentId)).toEqual([
    'merchant 990000 tokens',
    `network_cost ${cost} lamports`,
    'platform_fee 10000 tokens',
  ]);
  const { rows } = await lane.pool.query<{ type: string }>(
    'select type from svc.events where payment_id = $1 order by sequence',
    [paymentId],
  );
  expect(rows.map(({ type }) => type)).toEqual(['payment.created', 'payment.completed']);
});

test('a text that another key signed is not sent, even if the API accepted it', async () => {
  const lane = await world();
  const { paymentId, payer } = await queueText(lane, { signer: await generateKeyPairSigner() });
  await lane.settle();
  expect(await lane.statusOf(paymentId)).toMatchObject({ payment: 'failed', code: 'invalid_payment_header' });
  expect(await lane.balanceOf(payer)).toBe(AMOUNT);
});

test('an approval that was taken back ends the payment, and costs the relayer nothing', async () => {
  const lane = await world();
  const { paymentId } = await queueText(lane, { approvedAtomic: 0n });
  const before = lane.chain.ledger.account(lane.lane.relayer)?.lamports;
  await lane.settle();
  expect(await lane.statusOf(paymentId)).toMatchObject({ payment: 'failed', code: 'token_refused' });
  expect(lane.chain.ledger.account(lane.lane.relayer)?.lamports).toBe(before);
});

test('never heard of, it is failed only when its last height is final, though the text would be good for longer', async () => {
  const lane = await world();
  const { paymentId, lastValidBlockHeight } = await queueText(lane);
  const sent: string[] = [];
  const broadcast = async (raw: Uint8Array) => {
    sent.push(Buffer.from(raw).toString('hex'));
    return { outcome: 'unknown' as const };
  };
  const deaf = { ...lane.deps, chain: { ...lane.deps.chain, broadcast } };
  const lease = await lane.takeLease();
  const { ledger } = lane.chain;
  await laneRound(deaf, lease);
  ledger.advance(lastValidBlockHeight + 32n - ledger.slotAt('processed'));
  for (let round = 0; round < 4; round += 1) await laneRound(deaf, lease);
  expect((await lane.statusOf(paymentId)).payment).toBe('pending');
  ledger.advance(1n);
  for (let round = 0; round < 4; round += 1) await laneRound(deaf, lease);
  expect(await lane.statusOf(paymentId)).toEqual({
    payment: 'failed',
    intent: 'requires_payment',
    code: 'authorization_expired',
  });
  // The same bytes each time: no second transaction was ever made for the text.
  expect(new Set(sent).size).toBe(1);
});

test('a text that somebody else with the relayer’s key has used is held, and never called failed', async () => {
  const lane = await world();
  const { paymentId, terms, payer } = await queueText(lane);
  const lease = await lane.takeLease();
  const [item] = await lane.deps.store.loadQueue(lease, { index: 0, count: 1 }, 10);
  const signature = Uint8Array.from(Buffer.from(item!.signature.slice(2), 'hex'));
  const text = await verifyText(terms, signature);
  lane.chain.ledger.advance(1n);
  const other = await buildPayment(terms, { signature, text: text! }, await lane.node.latestLifetime());
  await lane.node.send((await signSingle(other, lane.actors.relayer)).wire);
  expect(await lane.balanceOf(payer)).toBe(0n);
  lane.chain.ledger.advance(9_000n);
  for (let round = 0; round < 4; round += 1) await laneRound(lane.deps, lease);
  expect((await lane.statusOf(paymentId)).payment).toBe('pending');
  const { rows } = await lane.pool.query('select status from svc.settlements');
  expect(rows).toEqual([{ status: 'held' }]);
});

test('a relayer that can pay a fee but not lend the rent sends nothing', async () => {
  const lane = await world();
  const { paymentId } = await queueText(lane);
  const { ledger } = lane.chain;
  ledger.setAccount(lane.lane.relayer, { ...ledger.account(lane.lane.relayer)!, lamports: 1_700_000n });
  const lease = await lane.takeLease();
  for (let round = 0; round < 3; round += 1) await laneRound(lane.deps, lease);
  expect((await lane.statusOf(paymentId)).payment).toBe('pending');
  expect((await lane.pool.query('select from svc.batches')).rowCount).toBe(0);
});

test('with live money no text is signed, whoever lets it get that far', async () => {
  const lane = await world();
  await queueText(lane);
  const [item] = await lane.deps.store.loadQueue(await lane.takeLease(), { index: 0, count: 1 }, 1);
  const { relayer } = lane.actors;
  expect(await buildMessageItem(item!, relayer.address)).toBeDefined();
  expect(await buildMessageItem({ ...item!, mode: 'live' }, relayer.address)).toBeUndefined();
});
