// Notify: somebody says that a block pays an intent. The block is read from its ledger, so that a lie changes nothing.
import type { NotifyRefusal } from '@svc-pay/protocol';
import type { TokenBlock } from './token-block.ts';
import { intentCodeIn } from './transfer-memo.ts';

export type NotifiedTransfer =
  /** The block counted just now: the intent shows it. */
  | { readonly outcome: 'applied' }
  /** The block had counted for the intent before, or is kept and counts soon. */
  | { readonly outcome: 'recorded' }
  /** The block does not pay the intent. */
  | { readonly outcome: 'refused'; readonly refusal: NotifyRefusal }
  /** The ledger was not asked, or did not answer in time. Nothing is known. */
  | { readonly outcome: 'unknown' };

/** Why the block does not pay the intent; undefined where it does. `accounts` are those that the intent may be paid to. */
export function refusalOfBlock(
  block: TokenBlock | undefined,
  { intentCode, accounts }: { readonly intentCode: bigint; readonly accounts: readonly string[] },
): NotifyRefusal | undefined {
  if (block === undefined) return 'block_not_found';
  const { transfer } = block;
  if (transfer === null) return 'not_a_transfer';
  if (!accounts.includes(transfer.to)) return 'other_account';
  return intentCodeIn(transfer.memo) === intentCode ? undefined : 'other_memo';
}
