// Payments as a transaction on the chain carries them: what a restore reads.
import { randomBytes } from 'node:crypto';
import { type CarriedPayment, claimKey, type LaneItem } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import { loadAcceptances } from '../intent/load-acceptances.ts';
import type { LaneWorld } from './lane-world.ts';

/** A payment of the intent that the database does not have. */
export async function carriedFor(lane: LaneWorld, intentId: Id<'paymentIntent'>): Promise<CarriedPayment> {
  const [acceptance] = await loadAcceptances(lane.pool, lane.caller, intentId);
  if (acceptance === undefined) throw new Error(`intent ${intentId} has no acceptance`);
  const { rows } = await lane.pool.query('select intent_code from svc.intents where id = $1', [intentId]);
  const payer = `0x${randomBytes(20).toString('hex')}`;
  const nonce = `0x${randomBytes(32).toString('hex')}`;
  const asset = acceptance.token.address.toLowerCase();
  return {
    intentCode: BigInt(rows[0].intent_code),
    asset,
    processor: acceptance.payTo.toLowerCase(),
    kind: 'transfer_with_authorization',
    byContract: false,
    payer,
    capAtomic: acceptance.amount,
    settledAtomic: acceptance.amount,
    validAfterSeconds: 1n,
    validBeforeSeconds: 4_000_000_000n,
    nonce,
    signature: `0x${'1b'.repeat(65)}`,
    payoutId: acceptance.payoutId,
    claimKey: claimKey({ network: lane.lane.network, asset, payer, uniquePart: nonce }),
  };
}

/** A payment that waits in the database. */
export const carriedOf = (lane: LaneWorld, item: LaneItem): CarriedPayment => ({
  ...item,
  asset: item.asset.toLowerCase(),
  processor: item.processor.toLowerCase(),
  payoutId: item.payout.id,
  claimKey: claimKey({ network: lane.lane.network, asset: item.asset, payer: item.payer, uniquePart: item.nonce }),
});
