// Books that sum to zero, say of every payment what its block moved, and commit with its event.
import { liveEntries, placeOf, sum, type Violation } from '../case-file.ts';
import { type IcpCase, wrong } from './icp-case.ts';

export function checkIcpBooks({ file, intents, setting }: IcpCase): readonly Violation[] {
  const { record, entriesOf, eventsOfPayment, refundPlaces } = file;
  const merchantOf = new Map(intents.map(({ intent, merchant }) => [intent, merchant]));
  return record.payments.flatMap(({ id, intent, paid, payer, transaction }) => {
    const live = liveEntries(entriesOf.get(id) ?? []).filter((entry) => !refundPlaces.has(placeOf(entry)));
    const amountOf = (name: string, party: string | undefined) =>
      sum(live.filter((entry) => entry.name === name && entry.party === party).map(({ amount }) => BigInt(amount)));
    const moved = BigInt(paid ?? 0);
    const commits = new Set([
      ...live.map(({ commit }) => commit),
      ...(eventsOfPayment.get(id) ?? []).filter(({ type }) => type === 'payment.created').map(({ commit }) => commit),
    ]);
    const isBooked =
      live.length === 2 &&
      amountOf('payer', payer) === -moved &&
      amountOf('merchant', merchantOf.get(intent)) === moved &&
      live.every((entry) => entry.transaction === transaction && entry.asset === setting.token);
    const booked = live.map(({ name, party, amount, asset }) => `${name} ${party} ${amount} ${asset}`).join('; ');
    return [
      ...wrong(!isBooked, 'books', `${id}: ${paid} by ${transaction} is booked as ${booked || 'nothing'}`, intent),
      ...wrong(commits.size !== 1, 'books', `${id}: entries and event were not written in one commit`, intent),
    ];
  });
}
