// Finds recipients whose share went to escrow. A batch pays sums: first refunds payment by payment, then per payout its
// splits in order and the merchant, then one fee for all. Replaying that order matches each leg to its log.
import type { LaneItem } from '@svc-pay/core';
import { goesInBatch } from '../processor/fit-batch.ts';
import { groupItems } from '../processor/group-items.ts';
import type { LaneLog } from '../rpc/read-receipt.ts';
import type { ItemEvidence } from './item-evidence.ts';
import { type LegLog, readLeg } from './settlement-logs.ts';

const WHOLE_BPS = 10_000n;

export type ReplayedLegs = {
  /** Per item, in the order of the items. */
  readonly escrowedFor: readonly (readonly string[])[];
  /** Recipient of the fee by the logs; undefined when there was no fee. */
  readonly feeRecipient: string | undefined;
};

type Share = { readonly position: number; readonly amountAtomic: bigint };
/** Money for one recipient, of one payment or of several. A leg without `to` is the fee. */
type Leg = { readonly to: string | undefined; readonly shares: readonly Share[] };

export function replayLegs(
  items: readonly LaneItem[],
  evidence: readonly ItemEvidence[],
  logs: readonly LaneLog[],
): ReplayedLegs {
  const [head] = items;
  const escrowedFor = items.map(() => new Set<string>());
  let feeRecipient: string | undefined;
  if (head === undefined) return { escrowedFor: [], feeRecipient };
  const seen = logs.flatMap((log) => readLeg(log, head.processor.toLowerCase(), head.asset.toLowerCase()) ?? []);
  let next = 0;
  for (const leg of legsOf(items, evidence)) {
    const log = seen[next];
    if (log === undefined || !isLeg(leg, log)) continue;
    next += 1;
    if (leg.to === undefined) feeRecipient = log.to;
    if (!log.escrowed) continue;
    for (const { position, amountAtomic } of leg.shares) if (amountAtomic > 0n) escrowedFor[position]?.add(log.to);
  }
  return { escrowedFor: escrowedFor.map((recipients) => [...recipients]), feeRecipient };
}

function isLeg(leg: Leg, log: LegLog): boolean {
  return sumOf(leg) === log.amountAtomic && (leg.to === undefined || leg.to.toLowerCase() === log.to);
}

/** Legs in the order in which the processor pays them; the processor skips zero amounts. */
function legsOf(items: readonly LaneItem[], evidence: readonly ItemEvidence[]): readonly Leg[] {
  const settled = groupItems(items).map(({ payout, items, positions }) => ({
    payout,
    parts: items.flatMap((item, index) => {
      const position = positions[index];
      const found = position === undefined ? undefined : evidence[position];
      return position !== undefined && found?.outcome === 'settled' ? [{ item, position, ...found }] : [];
    }),
  }));
  const all = settled.flatMap(({ parts }) => parts);
  if (items.some(({ strandedTransfer }) => strandedTransfer?.action === 'return')) {
    return all.map(({ item, position }) => ({
      to: item.payer,
      shares: [{ position, amountAtomic: item.capAtomic }],
    }));
  }
  const refunds = all.map(({ item, position }) => ({
    to: item.payer,
    shares: [{ position, amountAtomic: item.capAtomic - item.settledAtomic }],
  }));
  const shares = settled.flatMap(({ payout, parts }) => {
    const cuts = parts.map(({ item, feeAtomic }) => cut(item, feeAtomic));
    return [...payout.splits.map(({ to }) => to), payout.merchant].map((to, leg) => ({
      to,
      shares: parts.map(({ position }, index) => ({ position, amountAtomic: cuts[index]?.[leg] ?? 0n })),
    }));
  });
  const fee = { to: undefined, shares: all.map(({ position, feeAtomic }) => ({ position, amountAtomic: feeAtomic })) };
  // A single call refunds the rest of the cap last.
  const inBatch = items.every(goesInBatch);
  const legs: readonly Leg[] = inBatch ? [...refunds, ...shares, fee] : [...shares, fee, ...refunds];
  return legs.filter((leg) => sumOf(leg) > 0n);
}

/**
 * Shares of the splits and then of the merchant in one payment: splits are rounded down, the merchant gets the rest.
 */
function cut({ settledAtomic, payout }: LaneItem, feeAtomic: bigint): readonly bigint[] {
  const splits = payout.splits.map(({ bps }) => (settledAtomic * BigInt(bps)) / WHOLE_BPS);
  return [...splits, splits.reduce((rest, share) => rest - share, settledAtomic - feeAtomic)];
}

function sumOf({ shares }: Leg): bigint {
  return shares.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
}
