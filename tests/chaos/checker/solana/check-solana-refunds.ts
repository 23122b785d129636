// Refunds by what transactions of a Solana chain moved.
import { placeOf, type Violation } from '../case-file.ts';
import { checkRefunds, type Moved } from '../check-refunds.ts';
import type { PaymentRow, RefundRow } from '../record-evidence.ts';
import { refundIn, type SolanaCase } from './solana-case.ts';
import type { Landed } from './solana-evidence.ts';

export function checkSolanaRefunds(own: SolanaCase): readonly Violation[] {
  const { file, setting, chain } = own;
  const ownerOf = new Map(Object.entries(setting.accounts).map(([owner, account]) => [account, owner]));
  const movedBy = ({ id, deltas }: Landed): Moved => {
    const [from, to] = [[...deltas].find(([, delta]) => delta < 0n), [...deltas].find(([, delta]) => delta > 0n)];
    const owner = (account: string | undefined) => ownerOf.get(account ?? '') ?? 'nobody';
    return { transaction: id, logIndex: 0, from: owner(from?.[0]), to: owner(to?.[0]), value: to?.[1] ?? 0n };
  };
  const succeeded = [...chain.landed, ...chain.others].filter((landed) => landed.succeeded);
  const moved = new Map(succeeded.map((landed) => [landed.id, movedBy(landed)]));
  const signed = chain.landed.flatMap(({ id }) => {
    const [mark, transfer] = [refundIn(own, id), moved.get(id)];
    return mark === undefined || transfer === undefined ? [] : [{ ...transfer, mark }];
  });
  const landedRefunds = new Set(signed.map(({ mark }) => mark));
  const excuseOf = (refund: RefundRow, payment: PaymentRow): string | undefined => {
    if (refund.kind !== 'reported') return landedRefunds.has(refund.id) ? undefined : 'it never landed';
    const transfer = moved.get(refund.reported ?? '');
    if (transfer?.to !== payment.payer) return 'the chain has no transfer to the payer';
    if (file.refundPlaces.has(placeOf(transfer))) return 'another refund counts it';
    const slotOf = (id: string | null) => succeeded.find((landed) => landed.id === id)?.slot ?? 0;
    if (slotOf(refund.reported) <= slotOf(payment.transaction)) return 'it was made before the payment';
    return transfer.value > BigInt(payment.paid ?? 0) - BigInt(payment.refunded ?? 0)
      ? 'it is more than is left'
      : undefined;
  };
  return checkRefunds(file, { signed, transferAt: (place) => moved.get(place.split(':')[0] ?? ''), excuseOf });
}
