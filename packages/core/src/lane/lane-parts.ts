import type { Clock } from '../clock.ts';
import type { Broadcast, LaneChain } from './lane-chain.ts';
import type { LaneStore } from './lane-store.ts';

export type LanePace = {
  /** Transactions of one lane under way at once. */
  readonly maxInFlight: number;
  /**
   * Beside transactions in flight a batch that is not full waits this long for company, once for each of them: the more
   * is on its way to the next block, the less is won by one more transaction.
   */
  readonly gatherMs: number;
  /** Pause between two looks. */
  readonly pollMs: number;
  /** The same bytes are offered again when nothing was heard of them for this long. */
  readonly resendMs: number;
  /** A transaction that is not mined for this long is followed by a dearer one under its nonce. */
  readonly bumpMs: number;
  /** A payment that no transaction can carry now is left alone for this long. */
  readonly deferMs: number;
  /** Pause after trouble that a moment may heal: the chain is out of reach, or refuses the whole transaction. */
  readonly troubleMs: number;
};

export type LaneParts = {
  readonly store: LaneStore;
  readonly chain: LaneChain;
  readonly clock: Clock;
  readonly pace: LanePace;
  readonly log: (level: 'info' | 'warn', event: LaneEvent) => void;
};

export type LaneEvent = { readonly what: string } & Readonly<Record<string, unknown>>;

/** `moved`: look again at once. `waiting`: something flies or gathers. `blocked`: try again after a pause. */
export type RoundEnd = 'moved' | 'waiting' | 'blocked' | 'empty' | 'taken_over';

export function noteBroadcast(
  log: LaneParts['log'],
  batchId: string,
  transactionId: string,
  broadcast: Broadcast,
): void {
  const level = broadcast.outcome === 'known' ? 'info' : 'warn';
  log(level, { what: 'sent', batchId, transactionId, ...broadcast });
}
