/** A direct payout of whose activation the operator is told. */
export type ActivationNotice = {
  readonly accountId: string;
  readonly network: string;
  readonly payoutId: string;
  readonly wallet: string;
  /** ISO time. Until then an operator can end the change before it takes effect. */
  readonly activeFrom: string;
};

/** Code of the log catalogue. */
export function noticeEvent(
  { activeFrom }: Pick<ActivationNotice, 'activeFrom'>,
  nowMs: number,
): 'payout_change_pending' | 'payout_activated' {
  return Date.parse(activeFrom) > nowMs ? 'payout_change_pending' : 'payout_activated';
}
