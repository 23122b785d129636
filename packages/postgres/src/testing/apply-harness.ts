// The apply store over Postgres as its contract suite sees it.
import { randomBytes } from 'node:crypto';
import {
  type Caller,
  type CheckUsedPayout,
  claimKey,
  directTerms,
  type PayoutActivation,
  type StoredAcceptance,
  type WalletUse,
} from '@svc-pay/core';
import { sampleActivation } from '@svc-pay/core/testing';
import type { ApplyHarness, OfferedIntent, OfferTerms, SignedHere } from '@svc-pay/core/testing/contracts';
import { evmNetwork } from '@svc-pay/protocol';
import { directNonce } from '@svc-pay/protocol/direct-nonce';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { setMismatchPolicy } from '../account/set-mismatch-policy.ts';
import { loadAcceptances } from '../intent/load-acceptances.ts';
import { claimPayment } from '../payment/claim-payment.ts';
import { recordRefused } from '../payment/refused-authorizations.ts';
import { LOG_ARRAYS } from '../reader/read-log-row.ts';
import { createRefundStore } from '../refund/refund-store.ts';
import { createRefundWatchStore } from '../refund/refund-watch-store.ts';
import { createSettlementStores } from '../settlement-stores.ts';
import { createTestDatabase } from './create-test-database.ts';
import { createTestIntent } from './create-test-intent.ts';
import { seedDirectPayout } from './seed-direct-payout.ts';
import { seedMerchant } from './seed-merchant.ts';
import { readDatabase } from './store-harness.ts';

const NETWORK = evmNetwork(84_532);
const WALLETS: Readonly<Record<WalletUse, string>> = {
  exclusive: `0x${'a1'.repeat(20)}`,
  shared: `0x${'a2'.repeat(20)}`,
};
const randomHex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`;

export type PostgresApplyHarness = ApplyHarness & {
  readonly pool: pg.Pool;
  readonly url: string;
  readonly caller: Caller;
  /** Claims what the payer signed before. */
  readonly claimSigned: (
    intent: OfferedIntent,
    signed: SignedHere,
    direct: Parameters<ApplyHarness['claim']>[1],
  ) => ReturnType<ApplyHarness['claim']>;
};

export async function createApplyHarness(
  checkPayout: CheckUsedPayout = async () => 'good',
): Promise<PostgresApplyHarness> {
  const { pool, url } = await createTestDatabase();
  let nowMs = Date.now();
  const clock = { nowMs: () => nowMs };
  const caller = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  const database = { pool, url: '', ping: async () => {}, close: async () => {} };
  const options = { clock, gasCoinRate: () => undefined, processorVersion: () => '1.3.0', checkPayout };
  const stores = createSettlementStores(database, options);
  const lane = { network: NETWORK, relayer: `0x${'5e'.repeat(20)}` };
  await stores.registerRelayer({ ...lane, mode: 'test', duty: 'settle' }, async () => 7n);
  const payoutOf = await seedWallets(pool, caller);

  const offer = async (terms: OfferTerms = {}): Promise<OfferedIntent> => {
    nowMs += 1;
    const intentId = await createTestIntent(pool, caller);
    await changeTerms(pool, intentId, terms, payoutOf, nowMs);
    const [acceptance] = await loadAcceptances(pool, caller, intentId);
    const { rows } = await pool.query<{ intent_code: string }>('select intent_code from svc.intents where id = $1', [
      intentId,
    ]);
    if (acceptance === undefined || rows[0] === undefined) throw new Error('nothing was offered');
    return { intentId, intentCode: BigInt(rows[0].intent_code), acceptance };
  };
  const sign = (intent: OfferedIntent, bound: boolean): SignedHere => {
    const payer = randomHex(20);
    const nonce = bound ? boundNonceOf(intent) : randomHex(32);
    const { network, token } = intent.acceptance;
    return { payer, nonce, claimKey: claimKey({ network, asset: token.address, payer, uniquePart: nonce }) };
  };
  const authorizationOf = ({ acceptance }: OfferedIntent, { payer, nonce }: SignedHere) => ({
    from: payer,
    to: acceptance.payTo,
    value: acceptance.amount.toString(),
    validAfter: '1',
    validBefore: '4000000000',
    nonce,
  });
  const claimSigned: PostgresApplyHarness['claimSigned'] = async (intent, signed, given) => {
    nowMs += 1;
    const { bound = false, atBlock = 100n, used = false } = given ?? {};
    const paymentId = newId('payment', nowMs);
    const claimed = await claimPayment(pool, {
      caller,
      intentId: intent.intentId as Id<'paymentIntent'>,
      paymentId,
      claimKey: signed.claimKey,
      kind: 'transfer_with_authorization',
      byContract: false,
      acceptance: intent.acceptance,
      authorization: authorizationOf(intent, signed),
      signature: `0x${'1b'.repeat(65)}`,
      nowMs,
      ...(intent.acceptance.direct && { direct: { bound, atBlock, used } }),
    });
    if (claimed.outcome !== 'claimed') throw new Error(claimed.outcome);
    return { ...signed, paymentId };
  };
  return {
    pool,
    url,
    caller,
    network: NETWORK,
    lane,
    settling: stores.lanes,
    finality: stores.finality,
    apply: stores.apply,
    direct: stores.direct,
    refunds: createRefundStore(pool),
    refundWatch: createRefundWatchStore(pool),
    owner: { accountId: caller.accountId, mode: caller.mode },
    nowMs: clock.nowMs,
    offer,
    claim: (intent, given) => claimSigned(intent, sign(intent, given?.bound ?? false), given),
    claimSigned,
    refuse: async (intent, given) => {
      nowMs += 1;
      const { bound = false, atBlock = 100n } = given ?? {};
      const signed = given?.signed ?? sign(intent, bound);
      await recordRefused(pool, {
        caller,
        intentId: intent.intentId as Id<'paymentIntent'>,
        claimKey: signed.claimKey,
        acceptance: intent.acceptance,
        authorization: authorizationOf(intent, signed),
        direct: { bound, atBlock },
        code: 'insufficient_funds',
        funded: false,
        nowMs,
      });
      return signed;
    },
    setPolicy: async (policy) => {
      await setMismatchPolicy({ pool, nowMs, actor: 'test' }, caller.accountId, caller.mode, policy);
    },
    signBound: async (intent) => sign(intent, true),
    putLog: async (log) => {
      await pool.query(
        `insert into svc.read_logs (network, created_at, transaction_id, log_index, address, block_number, block_hash, event, log)
         select $1, $2::timestamptz, * from ${LOG_ARRAYS.unnest('read')}`,
        [NETWORK, new Date(nowMs).toISOString(), ...LOG_ARRAYS.values([log])],
      );
    },
    cancelIntent: async (intentId) => {
      await pool.query("update svc.intents set status = 'canceled', version = version + 1 where id = $1", [intentId]);
    },
    read: () => readDatabase(pool),
    proofs: async () => {
      const { rows } = await pool.query(
        `select transaction_id as transaction, log_index as "logIndex", payment_id as payment, reason from svc.log_proofs
         order by transaction_id, log_index`,
      );
      return rows;
    },
    unapplied: () => countOf(pool, 'select count(*)::integer as count from svc.read_logs'),
    logsRead: () => countOf(pool, 'select coalesce(sum(logs_read), 0)::integer as count from svc.batches'),
  };
}

async function countOf(pool: pg.Pool, text: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(text);
  return rows[0]?.count ?? 0;
}

async function seedWallets(pool: pg.Pool, caller: Caller): Promise<(use: WalletUse) => PayoutActivation> {
  const { rows } = await pool.query<{ id: string }>('select id from svc.installation');
  const installation = rows[0]?.id ?? '';
  const activations = Object.entries(WALLETS).map(([use, wallet], index) =>
    sampleActivation({
      installation,
      accountId: caller.accountId,
      network: NETWORK,
      asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
      wallet,
      use: use as WalletUse,
      number: BigInt(index + 1),
    }),
  );
  // No offer takes them by itself: a test says which intent they are offered for.
  const activeFromMs = Date.now() + 86_400_000;
  for (const activation of activations) await seedDirectPayout(pool, activation, { activeFromMs });
  return (use) => {
    const found = activations.find((one) => one.use === use);
    if (found === undefined) throw new Error(`no wallet is ${use}`);
    return found;
  };
}

/** The offer is the processor's: a direct one has another recipient and payout. */
async function changeTerms(
  pool: pg.Pool,
  intentId: string,
  { use, expiresInMs, priceEndsInMs, expectedSender }: OfferTerms,
  payoutOf: (use: WalletUse) => PayoutActivation,
  nowMs: number,
): Promise<void> {
  if (use !== undefined) {
    const { wallet, number } = payoutOf(use);
    await pool.query('update svc.acceptances set pay_to = $2, payout_id = $3 where intent_id = $1', [
      intentId,
      wallet,
      number.toString(),
    ]);
  }
  const at = (ms: number | undefined) => (ms === undefined ? null : new Date(nowMs + ms));
  await pool.query('update svc.acceptances set price_ends_at = $2 where intent_id = $1', [intentId, at(priceEndsInMs)]);
  await pool.query('update svc.intents set expires_at = coalesce($2, expires_at), expected_sender = $3 where id = $1', [
    intentId,
    at(expiresInMs),
    expectedSender ?? null,
  ]);
}

function boundNonceOf({ intentCode, acceptance }: OfferedIntent & { readonly acceptance: StoredAcceptance }): string {
  const { direct } = acceptance;
  const terms = direct && directTerms(Number(intentCode), { ...acceptance, direct }, 0);
  if (terms === undefined) throw new Error('the acceptance is not direct');
  return directNonce(terms);
}
