// Chooses the relayer that pays for a transaction which the payer signs whole: its key is part of what the payer signs.
import { createHash } from 'node:crypto';
import { isFit, type RelayerCondition } from './network-health.ts';
import type { RelayerStatus } from './relayer-transitions.ts';

export type RelayerToChoose = {
  readonly address: string;
  readonly status: RelayerStatus;
  readonly duty: 'settle' | 'resolve_stranded';
  readonly condition: RelayerCondition;
};

/**
 * Whether a transaction that names the relayer is taken. A draining one is not named any more, but payers sign what named it
 * before. Nobody sends for a retired one.
 */
export function canSettle({ status, duty }: Pick<RelayerToChoose, 'status' | 'duty'>): boolean {
  return status !== 'retired' && duty === 'settle';
}

/** A relayer that can pay now. The same intent gets the same relayer while the set of relayers does not change. */
export function chooseRelayer(relayers: readonly RelayerToChoose[], intentId: string): string | undefined {
  const [first] = relayers
    .filter((relayer) => relayer.status === 'active' && canSettle(relayer) && isFit(relayer.condition))
    .map(({ address }) => ({
      address,
      rank: createHash('md5')
        .update(address + intentId)
        .digest('hex'),
    }))
    .toSorted((one, other) => (one.rank < other.rank ? -1 : 1));
  return first?.address;
}
