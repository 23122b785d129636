// What the next call of `accounts move` does. Every call begins here, whatever ended the one before: the status in the cell that the
// account leaves, and whether the other cell has the account, tell how far it got.
import { ACCOUNT_STATUS, type AccountStatus } from '../account/account-transitions.ts';

export type AccountMoveFacts = {
  /** In the cell that the account leaves. Undefined: there is no such account. */
  readonly status: AccountStatus | undefined;
  /** The other cell has the account. Both commit after the rows are compared, so it then has all of it. */
  readonly inTarget: boolean;
  /** The work that remains in the cell that it left is done. */
  readonly arrived: boolean;
  /** Confirmed up-to payments, which only the merchant can charge, and not while the account moves. */
  readonly openCaps: number;
};

export type MoveRefusal = 'account_unknown' | 'account_closed' | 'account_in_target' | 'account_has_open_caps';

/**
 * `begin`: refuse requests, then copy. `copy`: as soon as no work is open. `complete`: it has moved here, and the other cell
 * does not have it yet. `finish`: it is enabled there. `moved_before`: nothing is left to do.
 */
export type MoveStep = 'begin' | 'copy' | 'complete' | 'finish' | 'moved_before';

export function judgeMove({
  status,
  inTarget,
  arrived,
  openCaps,
}: AccountMoveFacts):
  | { readonly ok: true; readonly step: MoveStep }
  | { readonly ok: false; readonly code: MoveRefusal } {
  if (status === undefined) return { ok: false, code: 'account_unknown' };
  if (status === ACCOUNT_STATUS.closed) return { ok: false, code: 'account_closed' };
  if (status === ACCOUNT_STATUS.moved)
    return { ok: true, step: arrived ? 'moved_before' : inTarget ? 'finish' : 'complete' };
  // It was there before, or the databases are the same one.
  if (inTarget) return { ok: false, code: 'account_in_target' };
  if (status === ACCOUNT_STATUS.moving) return { ok: true, step: 'copy' };
  return openCaps > 0 ? { ok: false, code: 'account_has_open_caps' } : { ok: true, step: 'begin' };
}
