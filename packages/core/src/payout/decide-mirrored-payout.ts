// Decides what becomes of a stored payout when the chain's registry was read. The registry is authoritative for the
// status. If the terms differ, the row keeps its terms for a person to look at, and is `pending` until they agree: new
// intents do not use it, and open acceptances of it are not settled, because the chain would divide the money by other
// terms than the ledger.
import { type Payout, sameShares } from './payout.ts';
import type { MirroredPayout, RegisteredPayout } from './payout-registry.ts';
import type { PayoutStatus } from './payout-transitions.ts';

export type MirrorDecision = {
  readonly result: MirroredPayout;
  /** The status to write; undefined when the row stays as it is. */
  readonly status: PayoutStatus | undefined;
};

export function decideMirroredPayout(
  stored: Payout | undefined,
  { status, terms }: Pick<RegisteredPayout, 'status' | 'terms'>,
): MirrorDecision {
  if (stored === undefined) return { result: 'unknown', status: undefined };
  const differs = terms !== undefined && !sameShares(terms, stored);
  const wanted = differs ? 'pending' : status;
  // A disabled payout was registered before: reading its registration event again must not enable it.
  const stays = stored.status === wanted || stored.status === 'disabled';
  if (stays) return { result: differs ? 'differs' : 'same', status: undefined };
  return { result: differs ? 'differs' : 'changed', status: wanted };
}
