// Refunds by what blocks of the token ledger moved. Merchants transfer themselves and name the block.
import { placeOf, type Violation } from '../case-file.ts';
import { checkRefunds, type Moved } from '../check-refunds.ts';
import type { PaymentRow, RefundRow } from '../record-evidence.ts';
import type { IcpCase } from './icp-case.ts';
import type { LedgerTransfer } from './ledger-evidence.ts';

export function checkIcpRefunds({ file, transfers }: IcpCase): readonly Violation[] {
  const transferOf = new Map(transfers.map((transfer) => [transfer.name, transfer]));
  const movedBy = ({ name, from, to, amount }: LedgerTransfer): Moved => ({
    transaction: name,
    logIndex: 0,
    from,
    to,
    value: amount,
  });
  const moved = new Map(transfers.map((transfer) => [placeOf(movedBy(transfer)), movedBy(transfer)]));
  const excuseOf = ({ reported }: RefundRow, payment: PaymentRow): string | undefined => {
    const transfer = moved.get(placeOf({ transaction: reported ?? '', logIndex: 0 }));
    if (transfer?.to !== payment.payer) return 'the ledger has no transfer to the payer';
    if (file.refundPlaces.has(placeOf(transfer))) return 'another refund counts it';
    const indexOf = (name: string | null) => transferOf.get(name ?? '')?.index ?? 0n;
    if (indexOf(reported) <= indexOf(payment.transaction)) return 'it was made before the payment';
    return transfer.value > BigInt(payment.paid ?? 0) - BigInt(payment.refunded ?? 0)
      ? 'it is more than is left'
      : undefined;
  };
  return checkRefunds(file, { signed: [], transferAt: (place) => moved.get(place), excuseOf });
}
