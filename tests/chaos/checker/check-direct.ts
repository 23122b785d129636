// Money that went to a merchant's wallet directly is one payment each, and no two payments name the same log.
import { type CaseFile, placeOf, type Violation } from './case-file.ts';

const PAID: ReadonlySet<string> = new Set(['completed', 'mismatched', 'refunded']);
/** Money that was minted. */
const NOBODY = `0x${'0'.repeat(40)}`;

export function checkDirect({ chain, record, run }: CaseFile): readonly Violation[] {
  const paid = record.payments.filter(({ status }) => PAID.has(status));
  const paymentsAt = Map.groupBy(paid, ({ place }) => place ?? '');
  const places = new Set(chain.direct.map(placeOf));
  const wallets = new Set(run.setting.wallets);
  return [
    ...[...paymentsAt].flatMap(([place, payments]): Violation[] =>
      payments.length === 1
        ? []
        : payments.map(({ intent, id }) => ({ rule: 'none twice', intent, text: `${id} is not alone at ${place}` })),
    ),
    ...chain.transfers.flatMap((transfer): Violation[] => {
      if (!wallets.has(transfer.to) || transfer.from === NOBODY) return [];
      const place = placeOf(transfer);
      if (places.has(place) && paymentsAt.has(place)) return [];
      return [{ rule: 'none lost', text: `${transfer.value} of ${transfer.from} arrived at ${place}, for no payment` }];
    }),
  ];
}
