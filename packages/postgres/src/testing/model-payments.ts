// Payments of every kind that a list, the books and the figures of an account know: settled in two tokens by several payers,
// refunded, mismatched and failed, and some of a second account. Models for `copyPayments`.
import type { LaneItem } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { createRefundWorld, refundParties } from './refund-world.ts';
import { insertRow, NOW } from './sample-rows.ts';
import { seedSettledBatch } from './seed-settled-batch.ts';

const NETWORK = evmNetwork(84_532);
const TOKENS = {
  basesepolia_usdc: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  basesepolia_eurc: '0x808456652fdb597867f38412077A9182bf77359F',
} as const;
const address = (byte: string) => `0x${byte.repeat(20)}`;
const hash = (of: bigint) => `0x${of.toString(16).padStart(64, '0')}`;
const { nowMs, relayer } = refundParties;
const FIRST_CODE = 100n;
/** Of the world that refunds, beyond the codes of the others. */
const REFUND_CODE = 900n;
const FEE_BPS = 250;
const PAYERS = 5;
const ABOUT = ['Green tea, 2 tins', 'Biscuits and a card', 'Subscription, November', 'Verse by post', 'Order 10-4471'];

export type ModelPayments = {
  readonly accountId: Id<'account'>;
  readonly otherId: Id<'account'>;
  readonly relayer: string;
  /** Payments of the account, and of both. */
  readonly own: number;
  readonly all: number;
};

/** Lists begin where an account does, so it is older than every copy of its payments. */
const ACCOUNT_AGE_MS = 365 * 86_400_000;

export async function seedModelPayments(pool: pg.Pool): Promise<ModelPayments> {
  const [accountId, otherId] = [newId('account', nowMs - ACCOUNT_AGE_MS), newId('account', nowMs - ACCOUNT_AGE_MS)];
  const items = [
    ...Array.from({ length: 16 }, (_, index) => newItem(accountId, index)),
    ...Array.from({ length: 4 }, (_, index) => newItem(otherId, 16 + index)),
  ];
  await seedSettledBatch(pool, {
    lane: { network: NETWORK, relayer },
    nonce: 1n,
    transactionId: hash(1n),
    blockNumber: 1_001n,
    feeRecipient: address('cc'),
    gasCostAtomic: 2_100_001n,
    payments: items.map((item, index) => ({
      item,
      mined: {
        paymentId: item.paymentId,
        outcome: 'settled',
        transferLogIndex: index * 3,
        logIndex: index * 3 + 1,
        feeAtomic: (item.settledAtomic * BigInt(FEE_BPS)) / 10_000n,
        escrowedFor: [],
      },
    })),
  });
  await nameThem(pool, items);
  const refunds = createRefundWorld(pool, REFUND_CODE, accountId);
  const [whole, part] = [await refunds.paid(), await refunds.paid()];
  for (const [paymentId, amount] of [[whole, 1_000n] as const, [part, 300n] as const]) {
    const refund = await refunds.submitted(paymentId, amount);
    await refunds.watch.complete(refund, refunds.evidence(amount), nowMs);
  }
  await seedUnsettled(pool, accountId, 300n, { status: 'failed', failure_code: 'insufficient_funds' });
  await seedUnsettled(pool, accountId, 301n, { status: 'mismatched', paid_amount: '9990000' });
  await pool.query(
    "update svc.intents set expires_at = created_at + interval '30 minutes' where account_id = any($1)",
    [[accountId, otherId]],
  );
  const own = 16 + 2 + 2;
  return { accountId, otherId, relayer, own, all: own + 4 };
}

function newItem(accountId: Id<'account'>, index: number): LaneItem {
  const code = FIRST_CODE + BigInt(index);
  const cap = 12_500_000n + 7_919n * BigInt(index * index);
  return {
    accountId,
    mode: 'test',
    paymentId: newId('payment', nowMs),
    intentId: newId('paymentIntent', nowMs),
    intentCode: code,
    number: code,
    asset: index % 4 === 3 ? TOKENS.basesepolia_eurc : TOKENS.basesepolia_usdc,
    processor: address('ee'),
    kind: 'transfer_with_authorization',
    byContract: false,
    payer: address(`a${index % PAYERS}`),
    capAtomic: cap,
    settledAtomic: index % 3 === 0 ? cap - 777n : cap,
    validAfterSeconds: 0n,
    validBeforeSeconds: 2_000_000_000n,
    nonce: hash(code),
    signature: `0x${'02'.repeat(65)}`,
    confirmations: 1,
    payout: { id: 3n, merchant: address('bb'), feeBps: FEE_BPS, splits: [{ to: address('0c'), bps: 1_000 }] },
  };
}

async function nameThem(pool: pg.Pool, items: readonly LaneItem[]): Promise<void> {
  for (const [index, { intentId, paymentId, asset, accountId }] of items.entries()) {
    const shortcode = asset === TOKENS.basesepolia_eurc ? 'basesepolia_eurc' : 'basesepolia_usdc';
    await pool.query('update svc.payments set token_shortcode = $2, created_event = true where id = $1', [
      paymentId,
      shortcode,
    ]);
    await pool.query('update svc.intents set token_shortcode = $2, description = $3 where id = $1', [
      intentId,
      shortcode,
      ABOUT[index % ABOUT.length],
    ]);
    const event = { account_id: accountId, intent_id: intentId, payment_id: paymentId };
    await insertRow(pool, 'events', { ...event, id: newId('event', nowMs), type: 'payment.completed', sequence: 3 });
  }
}

async function seedUnsettled(
  pool: pg.Pool,
  accountId: Id<'account'>,
  code: bigint,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  const [id, intentId] = [newId('payment', nowMs), newId('paymentIntent', nowMs)];
  const own = { account_id: accountId, created_at: NOW };
  await insertRow(pool, 'intents', {
    ...own,
    id: intentId,
    intent_code: code.toString(),
    status: fields['status'] === 'mismatched' ? 'mismatched' : 'requires_payment',
    description: 'Order 10-4472',
  });
  await insertRow(pool, 'payments', { ...own, id, intent_id: intentId, asset: TOKENS.basesepolia_usdc, ...fields });
}
