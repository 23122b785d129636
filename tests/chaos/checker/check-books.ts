// Books that sum to zero, point at the chain's own logs, commit with what they are about, and equal the chain's balances.
import { type CaseFile, liveEntries, lostIn, placeOf, sum, type Violation } from './case-file.ts';
import { isOfRefund } from './check-events.ts';
import type { EntryRow, PaymentRow } from './record-evidence.ts';

const NATIVE = 'native';
const RECEIVING: ReadonlySet<string> = new Set(['merchant', 'split', 'platform_fee', 'refund']);
const BOOKED: ReadonlySet<string> = new Set(['completed', 'refunded', 'mismatched']);
const amountOf = ({ amount }: EntryRow) => BigInt(amount);

export function checkBooks(file: CaseFile): readonly Violation[] {
  return [
    ...file.record.payments.flatMap((payment) => checkEntries(file, payment)),
    ...checkReversals(file),
    ...checkBalances(file),
    ...checkGas(file),
    ...checkLosses(file),
  ];
}

function checkEntries(file: CaseFile, payment: PaymentRow): Violation[] {
  const entries = file.entriesOf.get(payment.id) ?? [];
  const ofRefunds = file.refundPlaces;
  const live = liveEntries(entries).filter((entry) => !ofRefunds.has(placeOf(entry)));
  const wrong = (is: boolean, text: string): Violation[] =>
    is ? [{ rule: 'books', intent: payment.intent, text: `${payment.id}: ${text}` }] : [];
  const surplus = [...Map.groupBy(entries, ({ asset }) => asset)].filter(([, of]) => sum(of.map(amountOf)) !== 0n);
  if (!BOOKED.has(payment.status)) return wrong(live.length > 0, `${payment.status}, and ${live.length} entries stand`);
  const odd = file.oddAt.get(payment.place ?? '');
  const [settled] = file.settledOfCode.get(file.intentOf.get(payment.intent)?.code ?? '') ?? [];
  const code = odd ?? settled;
  const cap = odd === undefined ? BigInt(payment.cap ?? 0) : odd.cap;
  const tokens = live.filter(({ asset }) => asset !== NATIVE);
  const of = (...names: string[]) => sum(tokens.filter(({ name }) => names.includes(name)).map(amountOf));
  const pull = tokens.find(({ name }) => name === 'payer');
  const transfer = pull && file.transferAt.get(placeOf(pull));
  const elsewhere = tokens.filter(
    ({ name, transaction, logIndex }) =>
      RECEIVING.has(name) && (transaction !== code?.transaction || logIndex !== code.logIndex),
  );
  return [
    ...wrong(
      surplus.length > 0,
      `off by ${surplus.map(([asset, rows]) => `${sum(rows.map(amountOf))} of ${asset}`).join(', ')}`,
    ),
    ...wrong(live.length === 0, 'completed without entries'),
    ...wrong(-of('payer') !== cap, `${-of('payer')} left the payer, the cap was ${cap}`),
    ...wrong(of('platform_fee') !== code?.fee, `a fee of ${of('platform_fee')}, the chain took ${code?.fee}`),
    ...wrong(
      code !== undefined && of('merchant', 'split') !== code.settled - code.fee,
      `${of('merchant', 'split')} for the merchant's side, not ${code && code.settled - code.fee}`,
    ),
    ...wrong(code !== undefined && of('refund') !== code.cap - code.settled, `${of('refund')} went back`),
    ...wrong(
      transfer === undefined || transfer.from !== payment.payer || transfer.value !== code?.cap,
      'its pull points at no transfer of the payer',
    ),
    ...wrong(elsewhere.length > 0, `${elsewhere.length} entries point elsewhere than at its settlement`),
    ...wrong(!commitsTogether(file, payment, live), 'entries and event were not written in one commit'),
  ];
}

/** What a reorganisation moved is booked anew without a word to anybody; otherwise both are of one transaction. */
function commitsTogether(
  { eventsOfPayment, reversedPayments, oddAt }: CaseFile,
  { id, place }: PaymentRow,
  live: readonly EntryRow[],
): boolean {
  const commits = new Set(live.map(({ commit }) => commit));
  if (commits.size > 1) return false;
  if (reversedPayments.has(id)) return true;
  const told = place !== null && oddAt.has(place) ? 'payment.updated' : 'payment.completed';
  const event = (eventsOfPayment.get(id) ?? []).findLast((one) => one.type === told && !isOfRefund(one));
  return event !== undefined && commits.has(event.commit);
}

/** Only what the chain really said and gave up again is taken back, each by its exact opposite. */
function checkReversals({ record, orphaned: givenUp, paymentOf, intentOf }: CaseFile): Violation[] {
  const byId = new Map(record.entries.map((entry) => [entry.id, entry]));
  const settlementAt = (code: string, log: Parameters<typeof placeOf>[0]) => `${code} ${placeOf(log)}`;
  const orphaned = new Set(givenUp.map((log) => settlementAt(log.code, log)));
  return record.entries.flatMap((entry): Violation[] => {
    if (entry.reverses === null) return [];
    const other = byId.get(entry.reverses);
    const opposite =
      other !== undefined &&
      amountOf(other) === -amountOf(entry) &&
      (['payment', 'asset', 'name', 'party', 'transaction', 'logIndex'] as const).every(
        (key) => other[key] === entry[key],
      );
    const intent = paymentOf.get(entry.payment)?.intent ?? '';
    const place = settlementAt(intentOf.get(intent)?.code ?? '', entry);
    const wrong = (is: boolean, text: string): Violation[] => (is ? [{ rule: 'books', intent, text }] : []);
    return [
      ...wrong(!opposite, `${entry.id} is not the opposite of ${entry.reverses}`),
      ...wrong(
        RECEIVING.has(entry.name) && !orphaned.has(place),
        `${entry.payment} was booked at ${entry.transaction}:${entry.logIndex} and taken back; no block ever said so`,
      ),
    ];
  });
}

function checkBalances({ record, chain, run, unprovenTransfers }: CaseFile): Violation[] {
  const { minted, token, processor } = run.setting;
  const booked = Map.groupBy(
    record.entries.filter(({ asset }) => asset.toLowerCase() === token),
    ({ party }) => party,
  );
  const parties = new Set([...booked.keys(), ...Object.keys(minted), processor]);
  return [...parties].flatMap((party) => {
    const own = sum(
      unprovenTransfers.map(({ from, to, value }) => (to === party ? value : 0n) - (from === party ? value : 0n)),
    );
    const expected = BigInt(minted[party] ?? 0) + own + sum((booked.get(party) ?? []).map(amountOf));
    const held = chain.balanceOf(party);
    return held === expected
      ? []
      : [{ rule: 'books', text: `${party} has ${held} on chain and ${expected} by the books` }];
  });
}

/**
 * Of every transaction of a relayer each unit of its gas is in the books, once: as cost of what it settled, or as loss. What
 * is in the books of a transaction that the chain does not have is nothing.
 */
function checkGas({ record, chain }: CaseFile): Violation[] {
  const carried = Map.groupBy(
    record.entries.filter(({ asset, party }) => asset === NATIVE && party === 'network'),
    ({ transaction }) => transaction,
  );
  const lost = lostIn(record);
  const costs = new Map(chain.transactions.map(({ hash, cost }) => [hash, cost]));
  return [...new Set([...carried.keys(), ...lost.keys(), ...costs.keys()])].flatMap((hash) => {
    const booked = sum((carried.get(hash) ?? []).map(amountOf)) + (lost.get(hash) ?? 0n);
    const cost = costs.get(hash) ?? 0n;
    return booked === cost ? [] : [{ rule: 'books', text: `${hash} cost ${cost}, the books say ${booked}` }];
  });
}

/** Who lost gas is who signed that payment; what a transaction settled is no loss of it. */
function checkLosses({ record, chain, paymentOf, intentOf, settledOfCode }: CaseFile): Violation[] {
  const mined = new Set(chain.transactions.map(({ hash }) => hash));
  return record.losses.flatMap(({ payment: id, payer, transaction, batch, cause }): Violation[] => {
    if (!mined.has(transaction)) return [];
    const payment = paymentOf.get(id ?? '');
    const wrong = (is: boolean, text: string): Violation[] =>
      is ? [{ rule: 'books', ...(payment && { intent: payment.intent }), text: `${id} in ${batch}: ${text}` }] : [];
    const code = intentOf.get(payment?.intent ?? '')?.code ?? '';
    const settledThere = (settledOfCode.get(code) ?? []).some((log) => log.transaction === transaction);
    const net = sum(
      record.losses
        .filter((other) => other.payment === id && other.transaction === transaction)
        .map(({ amount }) => BigInt(amount)),
    );
    // Also of a refund's transaction that came too late: the wallet signed it.
    const wallets = record.refunds.filter((refund) => refund.payment === id).map(({ wallet }) => wallet);
    if (wallets.includes(payer ?? '')) return [];
    if (cause === 'refund') return wrong(true, `${payer} lost gas, refunds are of ${wallets.join(', ')}`);
    return [
      ...wrong(
        id !== null && payer !== payment?.payer.toLowerCase(),
        `${payer} lost gas for a payment of ${payment?.payer}`,
      ),
      ...wrong(settledThere && net !== 0n, `${transaction} settled it, and ${net} is a loss`),
    ];
  });
}
