// Turns the data of a payment into steps, in order of time.
import { BATCH_STATUS, type BlockName, DELIVERY_STATUS, ENDED_INTENT, isPrincipal, readBlockName } from '@svc-pay/core';
import type { IntentTrail } from '@svc-pay/postgres/view';
import type { EventDetail } from '@svc-pay/protocol/merchant';
import { showAmount } from '../shop/show-amount.ts';
import type { TrailParts } from './read-trail.ts';
import type { Trail, TrailLeg, TrailStep } from './trail.ts';

const ENDED: ReadonlySet<string> = new Set(ENDED_INTENT);

export function trailOf(intentId: string, parts: TrailParts): Trail {
  const { situation, events, seen } = parts;
  const { paymentIntent: intent } = situation;
  const steps = [
    ...intentSteps(parts),
    ...seen.refusals.map(refusalStep),
    ...seen.authorizations.map((authorization) => signatureStep(authorization, isUptoOf(parts))),
    ...seen.settlements.flatMap((settlement) => settlementSteps(settlement, isUptoOf(parts))),
    ...seen.transactions.map(transactionStep),
    ...endSteps(parts),
    ...bookSteps(seen.legs),
    ...events.flatMap(deliverySteps),
  ];
  const isPending = events.some(({ deliveries }) =>
    deliveries.some(({ status }) => status === DELIVERY_STATUS.pending),
  );
  const isFinal = seen.settlements.every(
    ({ batchStatus }) => batchStatus === null || batchStatus === BATCH_STATUS.finalized,
  );
  return {
    intentId,
    status: intent.status,
    isUpto: isUptoOf(parts),
    isTransfer: isPrincipal(intent.ledgerCanisterId),
    amountAtomic: intent.amount,
    description: intent.description ?? 'a payment',
    // The sort is stable: steps of the same millisecond keep their order.
    steps: steps.sort((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    atRest: ENDED.has(intent.status) && !isPending && isFinal,
  };
}

const isUptoOf = ({ events }: TrailParts): boolean =>
  events.some(({ event }) => {
    const object = (event['data'] as { object?: { x402_upto?: boolean } } | undefined)?.object;
    return object?.x402_upto === true;
  });

function intentSteps({ events, situation: { paymentIntent } }: TrailParts): TrailStep[] {
  const created = events.find(({ type }) => type === 'payment_intent.created');
  if (created === undefined) return [];
  const facts = [
    ['intent', paymentIntent.id],
    ['code on chain', String(paymentIntent.intentCode)],
  ] as const;
  return [{ kind: 'intent', at: created.createdAt, title: 'Intent created', source: 'api', tone: 'good', facts }];
}

function refusalStep({ code, payer, createdAt }: IntentTrail['refusals'][number]): TrailStep {
  const facts = payer === null ? [] : [['payer', payer] as const];
  const title = `Header refused: ${code}`;
  return { kind: 'refusal', at: createdAt.toISOString(), title, source: 'operator', tone: 'bad', facts };
}

function signatureStep(
  { payer, cap, kind, direct, recipient, validBeforeSeconds, createdAt }: IntentTrail['authorizations'][number],
  isUpto: boolean,
): TrailStep {
  const amount = isUpto ? `up to ${showAmount(cap)}` : showAmount(cap);
  return {
    kind: 'signature',
    at: createdAt.toISOString(),
    title: direct ? `Signed for ${amount}, straight to the merchant’s wallet` : `Signed for ${amount}`,
    source: 'operator',
    tone: 'good',
    facts: [
      ['payer', payer],
      [direct ? 'merchant’s wallet' : 'recipient', recipient],
      ['authorization', kind.replaceAll('_', ' ')],
      ['good until', new Date(Number(validBeforeSeconds) * 1_000).toISOString()],
    ],
  };
}

function settlementSteps(settlement: IntentTrail['settlements'][number], isUpto: boolean): TrailStep[] {
  const { createdAt, settledAmount, cap, batchId, batchCreatedAt, batchUpdatedAt, batchStatus } = settlement;
  const steps: TrailStep[] = [];
  if (isUpto) {
    const title = `Merchant charges ${showAmount(settledAmount)} of ${showAmount(cap)}`;
    steps.push({ kind: 'charge', at: createdAt.toISOString(), title, source: 'operator', tone: 'good', facts: [] });
  }
  const { foreignTransactionId, updatedAt } = settlement;
  if (foreignTransactionId !== null) {
    const block = readBlockName(foreignTransactionId);
    const facts = block ? blockFacts(block) : [['hash', foreignTransactionId] as const];
    const title = block ? 'The token ledger has the payer’s transfer' : 'Somebody else’s transaction paid it';
    const at = updatedAt.toISOString();
    steps.push({ kind: 'transaction', at, title, source: 'operator', tone: 'good', facts });
  }
  if (batchId === null || batchCreatedAt === null) return steps;
  const { itemCount, relayer, nonce, blockNumber } = settlement;
  steps.push({
    kind: 'batch',
    at: batchCreatedAt.toISOString(),
    title: itemCount === 1 ? 'In a batch of its own' : `In a batch of ${itemCount}`,
    source: 'operator',
    tone: 'good',
    facts: [
      ['lane', relayer ?? ''],
      ['nonce', nonce ?? ''],
    ],
  });
  if (batchStatus === BATCH_STATUS.finalized && batchUpdatedAt !== null) {
    const facts = [['block', blockNumber ?? ''] as const];
    const at = batchUpdatedAt.toISOString();
    steps.push({ kind: 'final', at, title: 'Final', source: 'operator', tone: 'good', facts });
  }
  return steps;
}

const blockFacts = ({ ledger, index }: BlockName): TrailStep['facts'] => [
  ['ledger', ledger],
  ['block', String(index)],
];

function transactionStep({ transactionId, createdAt }: IntentTrail['transactions'][number]): TrailStep {
  const facts = [['hash', transactionId] as const];
  const title = 'Transaction signed, stored and sent';
  return { kind: 'transaction', at: createdAt.toISOString(), title, source: 'operator', tone: 'good', facts };
}

function endSteps({ events, seen }: TrailParts): TrailStep[] {
  const ends = { 'payment.completed': 'Completed', 'payment.failed': 'Failed, nothing was taken' } as const;
  return events.flatMap(({ type, createdAt }): TrailStep[] => {
    if (type !== 'payment.completed' && type !== 'payment.failed') return [];
    const block = seen.settlements.at(-1)?.blockNumber ?? undefined;
    const facts = block === undefined ? [] : [['block', block] as const];
    const tone = type === 'payment.completed' ? 'good' : 'bad';
    return [{ kind: 'end', at: createdAt, title: ends[type], source: 'api', tone, facts }];
  });
}

function bookSteps(legs: IntentTrail['legs']): TrailStep[] {
  // Gas entries are in the chain's coin; the payment's asset is the one of the payer's entry.
  const first = legs.find(({ account }) => account === 'payer');
  if (first === undefined) return [];
  const ofToken = legs.filter(({ asset }) => asset === first.asset);
  const shown = ofToken
    .map(({ account, party, amount }): TrailLeg => ({ account, party, amountAtomic: amount }))
    .sort((a, b) => orderOf(a) - orderOf(b));
  const at = first.createdAt.toISOString();
  return [
    { kind: 'books', at, title: 'Booked, to the unit', source: 'operator', tone: 'good', facts: [], legs: shown },
  ];
}

/** Display order of the entries: the payer first. */
const LEG_ORDER = ['payer', 'merchant', 'split', 'platform_fee', 'refund'];
const orderOf = ({ account }: TrailLeg): number =>
  LEG_ORDER.includes(account) ? LEG_ORDER.indexOf(account) : LEG_ORDER.length;

function deliverySteps({ type, deliveries }: EventDetail): TrailStep[] {
  return deliveries.flatMap(({ attempts }) =>
    attempts.map(({ attempt, outcome, responseStatus, totalMs, startedAt, error }): TrailStep => {
      const answer = responseStatus === null ? outcome.replaceAll('_', ' ') : `answered ${responseStatus}`;
      const tries = attempt === 1 ? '' : `, try ${attempt}`;
      return {
        kind: 'webhook',
        at: startedAt,
        title: `Webhook ${type}`,
        source: 'api',
        tone: outcome === 'succeeded' ? 'good' : 'bad',
        facts: [['shop', `${answer} in ${totalMs} ms${tries}`], ...(error === null ? [] : [['error', error] as const])],
      };
    }),
  );
}
