// Refunds of payments in a Solana lane, from the API's part to the watch.
import {
  type AskedRefund,
  createRefund,
  createRefundWatch,
  type PeriodicJob,
  submitRefund,
  systemClock,
} from '@svc-pay/core';
import { createApiStores } from '@svc-pay/postgres';
import { createRefundWatchStore } from '@svc-pay/postgres/settlement-service';
import type { Id } from '@svc-pay/protocol/ids';
import type { CreatedRefund } from '@svc-pay/protocol/merchant';
import { findRefundOutcomes } from '../refund/find-refund-outcomes.ts';
import { createSolanaRefunds } from '../refund/solana-refunds.ts';
import { signAsWallet } from './actors.ts';
import type { QueuedTransfer, SolanaLaneWorld } from './lane-world.ts';

export type RefundLane = {
  /** A payment that is final. */
  readonly pay: () => Promise<QueuedTransfer>;
  /** Prepares a refund; the merchant's wallet signs it. */
  readonly prepare: (paymentId: Id<'payment'>, amountAtomic?: bigint) => Promise<SignedRefund>;
  /** Reports a transfer that the merchant made. */
  readonly report: (paymentId: Id<'payment'>, transactionId: string) => Promise<string>;
  readonly submit: (signed: SignedRefund) => Promise<void>;
  readonly watch: () => Promise<void>;
  readonly statusOf: (refundId: string) => Promise<string>;
  /** `paid - refunded - reserved`. */
  readonly leftOf: (paymentId: string) => Promise<string>;
};

type SignedRefund = { readonly id: Id<'refund'>; readonly transaction: string };

const FINAL_SLOTS = 40n;

export async function openRefundLane(lane: SolanaLaneWorld): Promise<RefundLane> {
  const { pool, caller, chain, node } = lane;
  const stores = createApiStores(
    { pool, url: '', ping: async () => {}, close: async () => {} },
    { clock: systemClock, cacheMs: 0 },
  );
  const genesisHash = await node.genesisHash();
  const family = createSolanaRefunds({
    stores: stores.transfers,
    clusters: new Map([
      [lane.lane.network, { rpcUrls: [chain.rpcUrl], feeAccount: lane.actors.platform, genesisHash }],
    ]),
    timeoutMs: 5_000,
  });
  const ports = {
    ...stores,
    clock: systemClock,
    refundFamilies: [family],
    wakeLanes: () => {},
  } as unknown as Parameters<typeof createRefund>[0] & Parameters<typeof submitRefund>[0];
  const job = watchOf(lane);
  const create = async (
    paymentId: Id<'payment'>,
    asked: Pick<AskedRefund, 'amountAtomic' | 'reported'>,
  ): Promise<CreatedRefund> => {
    const terms = { caller, paymentId, refundTo: undefined, from: undefined, reason: null, claim: null };
    const created = await createRefund(ports, { ...terms, ...asked });
    if (!created.ok) throw new Error(created.code);
    return JSON.parse(created.answer.body) as CreatedRefund;
  };
  return {
    pay: async () => {
      const paid = await lane.queue();
      await lane.settle();
      chain.ledger.advance(FINAL_SLOTS);
      await pool.query(`update svc.batches set status = 'finalized' where status = 'mined'`);
      return paid;
    },
    prepare: async (paymentId, amountAtomic) => {
      const { refund, sign } = await create(paymentId, { amountAtomic, reported: undefined });
      if (sign?.kind !== 'solana_transaction') throw new Error('nothing to sign');
      const wire = Uint8Array.from(Buffer.from(sign.transaction, 'base64'));
      return { id: refund.id as Id<'refund'>, transaction: await signAsWallet(wire, lane.actors.wallet) };
    },
    report: async (paymentId, transactionId) => {
      const reported = { transactionId, logIndex: null };
      return (await create(paymentId, { amountAtomic: undefined, reported })).refund.id;
    },
    submit: async ({ id: refundId, transaction }) => {
      const submitted = await submitRefund(ports, { caller, refundId, claim: null, answer: { transaction } });
      if (!submitted.ok) throw new Error(submitted.code);
    },
    watch: () => job.run(),
    statusOf: async (refundId) => {
      const { rows } = await pool.query<{ status: string }>(
        `select concat_ws(' ', status, failure_code) as status from svc.refunds where id = $1`,
        [refundId],
      );
      return rows[0]?.status ?? 'none';
    },
    leftOf: async (paymentId) => {
      const { rows } = await pool.query<{ left: string }>(
        'select paid - refunded - reserved as left from svc.refund_totals where payment_id = $1',
        [paymentId],
      );
      return rows[0]?.left ?? 'none';
    },
  };
}

function watchOf({ pool, lane: { network }, node }: SolanaLaneWorld): PeriodicJob {
  return createRefundWatch(
    {
      network,
      limits: { refunds: { everyMs: 1_000, pageSize: 100, maxPages: 5 } },
      findRefundOutcomes: (refunds, nowMs) => findRefundOutcomes([node], refunds, nowMs),
    },
    { refunds: createRefundWatchStore(pool), clock: systemClock, log: () => {} },
  );
}
