// Bugs to put in on purpose: a simulation that is worth its name finds each of them.
import { broadcastingFirst, recordingEarly } from '@svc-pay/postgres/testing/seeded-bugs';
import type { LaneBug } from './settlement-process.ts';
import type { DeliveryBug } from './webhooks-process.ts';

/** A new holder forgets what flies, and signs it anew under the same nonces. */
const signingAgain: LaneBug = (parts, { relayers, batches, settlements }) => ({
  ...parts,
  store: {
    ...parts.store,
    takeOver: async (lane) => {
      const epoch = await parts.store.takeOver(lane);
      for (const batch of batches.values()) {
        if (batch.relayer !== lane.relayer || (batch.status !== 'signed' && batch.status !== 'broadcast')) continue;
        batch.status = 'replaced';
        for (const row of settlements.values()) {
          if (row.batchId === batch.id) Object.assign(row, { status: 'queued', relayer: null, batchId: null });
        }
        const relayer = relayers.get(`${lane.network}/${lane.relayer}`);
        if (relayer !== undefined && batch.nonce < relayer.nextNonce) relayer.nextNonce = batch.nonce;
      }
      return epoch;
    },
  },
});

/** Takes every block for deep enough. */
const hurrying: LaneBug = (parts) => ({
  ...parts,
  chain: {
    ...parts.chain,
    findMined: async (batches) =>
      (await parts.chain.findMined(batches)).map((mined) => ({ ...mined, confirmations: 99n })),
  },
});

/** A claim is nobody's own for longer than a moment. */
const forgettingLease: DeliveryBug = (parts) => ({ ...parts, leaseMs: 5 });

/** Takes whatever came of an attempt for a success. */
const believingAnything: DeliveryBug = (parts) => ({
  ...parts,
  attempt: async (delivery, stopped) => {
    const report = parts.attempt(delivery, stopped);
    const record = { ...(await report).record, outcome: 'succeeded' as const };
    return { delivery, record, verdict: { next: 'succeeded' } };
  },
});

export const LANE_BUGS = { broadcastingFirst, signingAgain, recordingEarly, hurrying } as const;
export const DELIVERY_BUGS = { forgettingLease, believingAnything } as const;
export type BugName = keyof typeof LANE_BUGS | keyof typeof DELIVERY_BUGS;

export const laneBug = (name: BugName | undefined): LaneBug | undefined =>
  (LANE_BUGS as Readonly<Record<string, LaneBug>>)[name ?? ''];
export const deliveryBug = (name: BugName | undefined): DeliveryBug | undefined =>
  (DELIVERY_BUGS as Readonly<Record<string, DeliveryBug>>)[name ?? ''];

export const isBugName = (name: string | undefined): name is BugName =>
  name !== undefined && (name in LANE_BUGS || name in DELIVERY_BUGS);
