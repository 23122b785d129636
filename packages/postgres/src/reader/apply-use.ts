// Applies the use or the cancellation of a direct authorization: to the payment that claimed it, else to the intents for
// which it was refused, else to the intent to which its nonce is bound.
import {
  type AppliedLog,
  type AuthorizationLog,
  BATCH_STATUS,
  type ClaimedFacts,
  type ClaimedStep,
  claimKey,
  directEvidence,
  type FinalLog,
  foreignCompletion,
  judgeCancellation,
  judgeClaimedUse,
  type LaneItem,
  SETTLEMENT_STATUS,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';
import { failPayments, loadBefores } from '../payment/payment-results.ts';
import { closeRefused } from '../payment/refused-authorizations.ts';
import { writePaymentResults } from '../payment/write-payment-results.ts';
import { moveSettlements } from '../settlement/move-settlements.ts';
import { loadClaimedPayments } from '../stranded/claimed-payments.ts';
import { closeAuthorizations } from '../stranded/watched-authorizations.ts';
import { payoutKey } from './activated-payouts.ts';
import { applyLanding } from './apply-landing.ts';
import { lockPayment, type OwnedIntent } from './lock-for-apply.ts';
import {
  type ClaimOwner,
  findClaimOwner,
  loadUseFacts,
  storeReceipt,
  transferOf,
  type UseToApply,
} from './use-to-apply.ts';

export async function applyUse(
  client: pg.ClientBase,
  network: NetworkId,
  final: FinalLog & { readonly log: AuthorizationLog },
  given: Pick<UseToApply, 'activated' | 'nowMs'>,
): Promise<AppliedLog> {
  const { log } = final;
  const key = claimKey({ network, asset: log.address, payer: log.payer, uniquePart: log.nonce });
  const use: UseToApply = { network, log, final, claimKey: key, ...given };
  const claim = await findClaimOwner(client, key);
  return claim === undefined ? applyLanding(client, use) : applyToClaim(client, use, claim);
}

async function applyToClaim(client: pg.ClientBase, use: UseToApply, owner: ClaimOwner): Promise<AppliedLog> {
  const { paymentId, intentId } = owner;
  // An up-to authorization without a payment: it pays a processor.
  if (paymentId === null) return { outcome: 'ignored', reason: 'processor_payment' };
  const locked = await lockPayment(client, owner, paymentId);
  if (locked === undefined) return { outcome: 'waits', reason: 'locked' };
  const item = (await loadClaimedPayments(client, [{ ...owner, paymentId }])).get(paymentId)?.item;
  const activated = item !== undefined && use.activated.has(payoutKey(owner, item.payout.id));
  const payoutWithdrawn = !activated || item.payout.withdrawn === true;
  const facts = { ...(await loadClaimedFacts(client, use, owner, paymentId)), payoutWithdrawn };
  const ids = { intentId, paymentId };
  const step =
    use.log.event === 'authorization_canceled'
      ? judgeCancellation(facts)
      : judgeClaimedUse(facts, await loadUseFacts(client, use));
  if (step.step === 'wait') return { outcome: 'waits', reason: 'lane' };
  if (step.step === 'recorded') return { outcome: 'recorded', paymentId };
  if (step.step === 'ignore') return { outcome: 'ignored', reason: step.reason };
  if (step.step === 'unattributed') {
    await storeReceipt(client, use, owner, step.reason);
    return { outcome: 'unattributed', reason: step.reason };
  }
  if (item === undefined) throw new Error(`payment ${paymentId} has no authorization or no payout`);
  return endClaimed(client, use, { step, item, ids, owner });
}

type OpenStep = Extract<ClaimedStep, { readonly step: 'complete' | 'fail' | 'hold' }>;

async function endClaimed(
  client: pg.ClientBase,
  use: UseToApply,
  given: {
    readonly step: OpenStep;
    readonly item: LaneItem;
    readonly ids: { readonly intentId: string; readonly paymentId: string };
    readonly owner: OwnedIntent;
  },
): Promise<AppliedLog> {
  const { step, item, ids, owner } = given;
  const { nowMs, network, log, final } = use;
  if (step.step === 'hold') {
    const { queued, held } = SETTLEMENT_STATUS;
    if (step.from === queued) await moveSettlements(client, [item], { from: [queued], to: held }, nowMs);
    await holdForMerchant(client, item);
    await storeReceipt(client, use, owner, step.reason, ids.paymentId);
    return { outcome: 'held', ...ids, reason: step.reason };
  }
  const origin = { requestId: newId('batch', nowMs), nowMs };
  if (step.step === 'fail') {
    const results = await failPayments(client, [{ item, code: step.code }], null, origin);
    await writePaymentResults(client, results, step.from, nowMs);
  } else {
    const before = (await loadBefores(client, [item])).get(item.intentId);
    const evidence = directEvidence(network, log.position.transactionId, transferOf(final).logIndex);
    await writePaymentResults(client, [foreignCompletion(before, item, evidence, origin)], step.from, nowMs);
  }
  await closeAuthorizations(client, [{ ...owner, claimKey: use.claimKey }], nowMs);
  await closeRefused(client, [use.claimKey], nowMs);
  return step.step === 'fail' ? { outcome: 'failed', ...ids, reason: step.reason } : { outcome: 'completed', ...ids };
}

async function holdForMerchant(client: pg.ClientBase, { accountId, mode, paymentId }: LaneItem): Promise<void> {
  await client.query({
    name: 'hold-for-merchant',
    text: `
      update svc.settlements set held_for_merchant = true, refusal = null
      where account_id = $1 and mode = $2 and payment_id = $3`,
    values: [accountId, mode, paymentId],
  });
}

type ClaimedRow = {
  readonly settlement: ClaimedFacts['settlement'] | null;
  readonly direct: boolean;
  readonly cap: string;
  readonly recipient: string;
  readonly bound: boolean | null;
  readonly unused_at_block: string | null;
  readonly use: string | null;
  readonly transaction_id: string | null;
  readonly provisional: boolean;
};

async function loadClaimedFacts(
  client: pg.ClientBase,
  { claimKey: key, log }: UseToApply,
  { accountId, mode, intentId }: OwnedIntent,
  paymentId: string,
): Promise<Omit<ClaimedFacts, 'payoutWithdrawn'>> {
  const { rows } = await client.query<ClaimedRow>({
    name: 'load-claimed-facts',
    text: `
      select s.status as settlement, s.direct, s.cap, coalesce(s.recipient, lower(a.recipient)) as recipient, a.bound,
        a.unused_at_block, payout.activation ->> 'use' as use, p.transaction_id,
        exists (
          select from svc.batches batch where batch.id = s.batch_id and not batch.status ${sqlIs(BATCH_STATUS.finalized)}
        ) as provisional
      from svc.settlements s
      join svc.payments p on p.account_id = s.account_id and p.mode = s.mode and p.id = s.payment_id
      left join svc.authorizations a
        on a.account_id = s.account_id and a.mode = s.mode and a.intent_id = s.intent_id and a.claim_key = s.claim_key
      left join svc.payouts payout
        on payout.network = s.network and payout.payout_id = s.payout_id
          and payout.processor = coalesce(s.recipient, lower(a.recipient))
      where s.account_id = $1 and s.mode = $2 and s.payment_id = $3 and s.intent_id = $4 and s.claim_key = $5`,
    values: [accountId, mode, paymentId, intentId, Buffer.from(key)],
  });
  const [row] = rows;
  if (row === undefined) throw new Error(`payment ${paymentId} of intent ${intentId} has no settlement of its claim`);
  return {
    settlement: row.settlement ?? undefined,
    direct: row.direct,
    signed: { payer: log.payer, wallet: row.recipient, amountAtomic: BigInt(row.cap) },
    bound: row.bound ?? false,
    unusedAtBlock: row.unused_at_block === null ? null : BigInt(row.unused_at_block),
    use: row.use === 'exclusive' ? 'exclusive' : 'shared',
    transactionId: row.transaction_id,
    provisional: row.provisional,
  };
}
