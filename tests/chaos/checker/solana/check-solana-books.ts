// Books that sum to zero, say of every transaction what it moved, commit with their event, and equal the chain's balances to
// the unit; and every lamport that a relayer paid is booked, as cost of a settlement or as loss.
import { isSuccess, liveEntries, lostIn, placeOf, sum, type Violation } from '../case-file.ts';
import type { EntryRow } from '../record-evidence.ts';
import type { SolanaCase } from './solana-case.ts';

const NATIVE = 'native';
const amountOf = ({ amount }: EntryRow) => BigInt(amount);

export function checkSolanaBooks(own: SolanaCase): readonly Violation[] {
  return [...checkPayments(own), ...checkBalances(own), ...checkLamports(own)];
}

function checkPayments({ file, setting, chain }: SolanaCase): Violation[] {
  const { record, entriesOf, eventsOfPayment, reversedPayments } = file;
  const landedOf = new Map(chain.landed.map((landed) => [landed.id, landed]));
  return record.payments.flatMap((payment) => {
    const { id, intent, status, transaction, payer, paid, fee } = payment;
    const entries = entriesOf.get(id) ?? [];
    const live = liveEntries(entries).filter((entry) => !file.refundPlaces.has(placeOf(entry)));
    const wrong = (is: boolean, text: string): Violation[] =>
      is ? [{ rule: 'books', intent, text: `${id}: ${text}` }] : [];
    if (!isSuccess(file, payment)) return wrong(live.length > 0, `${status}, and ${live.length} entries stand`);
    const tokens = live.filter(({ asset }) => asset === setting.token);
    const deltas = landedOf.get(transaction ?? '')?.deltas ?? new Map<string, bigint>();
    const booked = new Map<string, bigint>();
    for (const { party, amount } of tokens) {
      const account = setting.accounts[party] ?? party;
      booked.set(account, (booked.get(account) ?? 0n) + BigInt(amount));
    }
    const same =
      booked.size === deltas.size && [...booked].every(([account, amount]) => deltas.get(account) === amount);
    const of = (name: string) => sum(tokens.filter((entry) => entry.name === name).map(amountOf));
    const commits = new Set(live.map(({ commit }) => commit));
    const event = (eventsOfPayment.get(id) ?? []).findLast(({ type }) => type === 'payment.completed');
    const surplus = [...Map.groupBy(entries, ({ asset }) => asset)].filter(
      ([, rows]) => sum(rows.map(amountOf)) !== 0n,
    );
    return [
      ...wrong(surplus.length > 0, `off by ${surplus.map(([asset]) => asset).join(', ')}`),
      ...wrong(!same, `the books say ${told(booked)}, ${transaction} moved ${told(deltas)}`),
      ...wrong(of('payer') !== -BigInt(paid ?? 0), `${-of('payer')} left ${payer}, ${paid} was paid`),
      ...wrong(of('platform_fee') !== BigInt(fee ?? 0), `a fee of ${of('platform_fee')}, the payment says ${fee}`),
      ...wrong(
        live.some((entry) => entry.transaction !== transaction),
        'entries point at another transaction',
      ),
      ...wrong(
        commits.size !== 1 || (!reversedPayments.has(id) && (event === undefined || !commits.has(event.commit))),
        'entries and event were not written in one commit',
      ),
    ];
  });
}

const told = (amounts: ReadonlyMap<string, bigint>) =>
  [...amounts].map(([account, amount]) => `${account} ${amount}`).join(', ');

function checkBalances({ file, setting, chain }: SolanaCase): Violation[] {
  const booked = Map.groupBy(
    file.record.entries.filter(({ asset }) => asset === setting.token),
    ({ party }) => party,
  );
  const wrong = (text: string): Violation[] => [{ rule: 'books', text }];
  const proven = new Set(
    file.record.refunds.filter(({ status }) => status === 'completed').map(({ transaction }) => transaction),
  );
  return [...new Set([...booked.keys(), ...Object.keys(setting.accounts)])].flatMap((party) => {
    const holding = chain.holdingAt.get(setting.accounts[party] ?? '');
    if (holding?.owner !== party || holding.mint !== setting.token) return wrong(`${party} has no account on chain`);
    const unproven = chain.others.filter(({ id }) => !proven.has(id));
    const own = sum(unproven.map(({ deltas }) => deltas.get(setting.accounts[party] ?? '') ?? 0n));
    const expected = BigInt(setting.minted[party] ?? 0) + own + sum((booked.get(party) ?? []).map(amountOf));
    return holding.amount === expected
      ? []
      : wrong(`${party} has ${holding.amount} on chain and ${expected} by the books`);
  });
}

function checkLamports({ file, setting, chain }: SolanaCase): Violation[] {
  const wrong = (is: boolean, text: string): Violation[] => (is ? [{ rule: 'books', text }] : []);
  const paidFor = Map.groupBy(
    liveEntries(file.record.entries).filter(({ asset, amount }) => asset === NATIVE && amount.startsWith('-')),
    ({ transaction }) => transaction,
  );
  const lost = lostIn(file.record);
  const spent = sum(chain.landed.map(({ cost }) => cost));
  const missing = sum([...chain.relayerLamports.values()].map((left) => BigInt(setting.relayerLamports) - left));
  return [
    ...chain.landed.flatMap(({ id, cost }) => {
      const booked = (lost.get(id) ?? 0n) - sum((paidFor.get(id) ?? []).map(amountOf));
      return wrong(booked !== cost, `${id} cost ${cost} lamports, the books say ${booked}`);
    }),
    ...wrong(spent !== missing, `relayers are ${missing} lamports poorer, their transactions cost ${spent}`),
  ];
}
