// What money that names its intent by itself turned out to be, told to the log and counted.
import type { WatchBase } from '../watch/watch-log.ts';
import type { AppliedMovement } from './reference-store.ts';

export type TellApplied = Pick<WatchBase, 'log'> & {
  readonly onApplied?: (network: string, outcome: AppliedMovement['outcome']) => void;
};

export type AppliedTo = {
  readonly network: string;
  /** By what it was found: a reference key, or a token ledger. */
  readonly source: string;
  readonly transactionId: string;
  readonly intentId?: string;
};

export function tellApplied(
  { log, onApplied }: TellApplied,
  named: AppliedTo,
  applied: Exclude<AppliedMovement, { readonly outcome: 'waits' }>,
): void {
  onApplied?.(named.network, applied.outcome);
  const { outcome, surplusAtomic, ...ids } = { surplusAtomic: undefined, ...applied };
  const details = { ...named, ...ids };
  if (outcome === 'completed') log('read_log_completed_payment', details);
  if (outcome === 'mismatched') log('read_log_mismatched', details);
  if (outcome === 'unattributed') log('receipt_unattributed', details);
  if (surplusAtomic !== undefined)
    log('receipt_unattributed', { ...details, reason: 'surplus', amountAtomic: surplusAtomic });
}
