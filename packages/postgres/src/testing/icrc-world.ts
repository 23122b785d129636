// An account that is paid on a token ledger, intents of one dollar, and the reader that finds the payments.
import { setTimeout as pause } from 'node:timers/promises';
import {
  createTokenLedgerReader,
  type IcrcChain,
  type IcrcStore,
  notifyTransfer,
  type TokenTransfer,
} from '@svc-pay/core';
import { type SampleLedger, sampleAccount, sampleTokenLedger } from '@svc-pay/core/testing';
import type { NetworkId, NotifyRefusal } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { createIcrcStore } from '../icrc/icrc-store.ts';
import { createTestIntent } from './create-test-intent.ts';
import { seedMerchant } from './seed-merchant.ts';

type IntentId = Id<'paymentIntent'>;

export const ICRC_NETWORK = 'icp:local' as NetworkId;

type PaymentRow = {
  readonly status: string;
  readonly paid: string;
  readonly payer: string;
  readonly due: string | null;
  readonly total: string | null;
  readonly transaction: string;
};

export type IcrcWorld = {
  readonly pool: pg.Pool;
  readonly sample: SampleLedger;
  readonly icrc: IcrcStore;
  readonly merchant: string;
  readonly payer: string;
  readonly accountId: Id<'account'>;
  readonly logged: string[];
  readonly later: (milliseconds: number) => void;
  readonly nowMs: () => number;
  readonly intent: (change?: { readonly expectedSender?: string }) => Promise<IntentId>;
  readonly codeOf: (intentId: string) => Promise<bigint>;
  /** One dollar to the merchant, unless told otherwise. Returns the index of the block. */
  readonly pay: (intentId: string, change?: Partial<TokenTransfer>) => Promise<bigint>;
  readonly read: (store?: IcrcStore) => Promise<void>;
  readonly notify: (intentId: IntentId, blockIndex: bigint, ledger?: string) => Promise<string>;
  readonly paymentsOf: (intentId: string) => Promise<readonly PaymentRow[]>;
  readonly intentOf: (intentId: string) => Promise<string | undefined>;
  readonly eventsOf: (intentId: string) => Promise<readonly string[]>;
};

export const DOLLAR = 1_000_000n;

let lastPayout = 1_000;

/** `login` is what settlement reads and writes with; `chain` is read instead of the ledger in memory. */
export async function createIcrcWorld(
  pool: pg.Pool,
  { login = pool, ...given }: { readonly login?: pg.Pool; readonly chain?: IcrcChain; readonly merchant?: string } = {},
): Promise<IcrcWorld> {
  const sample = sampleTokenLedger(ICRC_NETWORK);
  const chain = given.chain ?? sample.chain;
  const icrc = createIcrcStore(login);
  const caller = await seedMerchant(pool);
  const [merchant, payer] = [given.merchant ?? sampleAccount(7), sampleAccount(9)];
  lastPayout += 1;
  const payoutId = lastPayout;
  await pool.query(
    `insert into svc.payouts (account_id, mode, network, payout_id, processor, merchant, fee_bps, status, created_at)
     values ($1, 'test', $2, $3, $4, $4, 0, 'active', now() - interval '1 day')`,
    [caller.accountId, ICRC_NETWORK, payoutId, merchant],
  );
  const logged: string[] = [];
  let laterMs = 0;
  const clock = { nowMs: () => Date.now() + laterMs };
  const log = (event: string, details: object) => void logged.push(`${event} ${JSON.stringify(details)}`);
  const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[]) =>
    (await pool.query<Row>(text, values)).rows;
  const codeOf = async (intentId: string) => {
    const [row] = await query<{ code: string }>(
      'select intent_code as code from svc.intents where id = $1 union select intent_code from svc.intent_codes where intent_id = $1',
      [intentId],
    );
    if (row === undefined) throw new Error('no intent');
    return BigInt(row.code);
  };
  return {
    pool,
    sample,
    icrc,
    merchant,
    payer,
    accountId: caller.accountId,
    logged,
    later: (milliseconds) => {
      laterMs += milliseconds;
    },
    nowMs: clock.nowMs,
    codeOf,
    intent: async ({ expectedSender } = {}) => {
      const intentId = await createTestIntent(pool, caller, { usdAmount: '1', tokenShortcode: 'anvil_usdc' });
      await pool.query(
        `update svc.acceptances set network = $2, token_shortcode = 'iclocal_ckusdc', asset = $3, pay_to = $4, payout_id = $5,
           amount = $6, flow = 'regular' where intent_id = $1`,
        [intentId, ICRC_NETWORK, sample.ledger, merchant, payoutId, DOLLAR.toString()],
      );
      if (expectedSender !== undefined)
        await pool.query('update svc.intents set expected_sender = $2 where id = $1', [intentId, expectedSender]);
      return intentId;
    },
    pay: async (intentId, change = {}) => {
      const intentCode = await codeOf(intentId);
      const { from = payer, to = merchant, amountAtomic = DOLLAR } = change;
      return sample.pay({ from, to, amountAtomic, intentCode }, clock.nowMs());
    },
    read: async (store = icrc) => {
      laterMs += 2_000;
      await createTokenLedgerReader(chain, { icrc: store, clock, log }).run();
    },
    notify: async (intentId, blockIndex, ledger = sample.ledger) => {
      const { accountId } = caller;
      const answer: { readonly outcome: string; readonly refusal?: NotifyRefusal } = await notifyTransfer(
        { icrc, clock, log, chains: [chain], pause },
        { accountId, mode: 'test', intentId, ledger, blockIndex },
      );
      return answer.refusal ?? answer.outcome;
    },
    paymentsOf: (intentId) =>
      query<PaymentRow>(
        `select status, paid_amount::text as paid, payer, refund_due_amount::text as due, paid_total::text as total,
           coalesce(transaction_id, '') as transaction
         from svc.payments where intent_id = $1 order by created_at, id`,
        [intentId],
      ),
    intentOf: async (intentId) =>
      (await query<{ status: string }>('select status from svc.intents where id = $1', [intentId]))[0]?.status,
    eventsOf: async (intentId) =>
      (
        await query<{ type: string }>('select type from svc.events where intent_id = $1 order by sequence', [intentId])
      ).map(({ type }) => type),
  };
}
