// Decides which payout a restored transfer was divided by. The chain shows how the money was divided, and several payouts may
// divide it so: those of one wallet under one fee. The intent's own offer decides; without an intent the account must be sure.
import type { Id } from '@svc-pay/protocol/ids';
import type { Mode } from '../account/mode.ts';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import { sameAddress } from '../token/address.ts';
import type { TransferPayout } from './on-chain-transfer.ts';

export type OwnedPayout = TransferPayout & {
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
};

export type ChosenPayout =
  | { readonly ok: true; readonly payout: OwnedPayout }
  | { readonly ok: false; readonly reason: string };

/** `payouts` in the order in which they were set. `offered` is what the intent offers; undefined without an intent. */
export function choosePayout(
  payouts: readonly OwnedPayout[],
  offered: readonly Pick<StoredAcceptance, 'payoutId' | 'payTo'>[] | undefined,
): ChosenPayout {
  const fitting =
    offered === undefined
      ? payouts
      : payouts.filter(({ payoutId, merchant }) =>
          offered.some((one) => one.payoutId === payoutId && sameAddress(one.payTo, merchant)),
        );
  const newest = fitting.at(-1);
  if (newest === undefined)
    return { ok: false, reason: offered ? 'its intent never offered these terms' : 'no payout of ours divides it so' };
  const others = fitting.filter(({ accountId, mode }) => accountId !== newest.accountId || mode !== newest.mode);
  if (others.length > 0) return { ok: false, reason: 'payouts of several accounts pay this wallet on these terms' };
  return { ok: true, payout: newest };
}
