// Refunds by the logs of an EVM chain.
import { type CaseFile, placeOf, type Violation } from './case-file.ts';
import { checkRefunds } from './check-refunds.ts';
import type { PaymentRow, RefundRow } from './record-evidence.ts';

export function checkEvmRefunds(file: CaseFile): readonly Violation[] {
  const { chain, transferAt } = file;
  return checkRefunds(file, {
    signed: chain.refunds.map(({ payer, nonce, wallet, ...log }) => ({ ...log, from: payer, to: wallet, mark: nonce })),
    transferAt: (place) => transferAt.get(place),
    excuseOf: (refund, payment) => excuseOf(file, refund, payment),
  });
}

function excuseOf(
  { chain, refundPlaces, settledOfCode, intentOf, oddAt }: CaseFile,
  { kind, reported }: RefundRow,
  { place, intent, payer, paid, refunded }: PaymentRow,
): string | undefined {
  // A run is shorter than the hour for which a wallet signs.
  if (kind !== 'reported') return undefined;
  const transfer = chain.transfers.find(({ transaction, to }) => transaction === reported && to === payer);
  if (transfer === undefined) return 'the chain has no transfer to the payer';
  if (refundPlaces.has(placeOf(transfer))) return 'another refund counts it';
  const [settled] = settledOfCode.get(intentOf.get(intent)?.code ?? '') ?? [];
  const paidIn = oddAt.get(place ?? '') ?? settled;
  if (paidIn === undefined || transfer.blockNumber <= paidIn.blockNumber) return 'it was made before the payment';
  return transfer.value > BigInt(paid ?? 0) - BigInt(refunded ?? 0) ? 'it is more than is left' : undefined;
}
