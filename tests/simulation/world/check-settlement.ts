// The promises about money, when all is quiet: tables against the chain.
import { type LaneItem, NATIVE_ASSET, NETWORK_PARTY } from '@svc-pay/core';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import { isOfRefund } from './check-refunds.ts';
import { checkStranded } from './check-stranded.ts';
import type { Buyer } from './plan-buyers.ts';
import type { Simulation } from './simulation.ts';

export function checkSettlement(
  { tables, violate }: Simulation,
  chain: SimulatedChain,
  buyers: ReadonlyMap<string, Buyer>,
): void {
  const mined = chain.blocks().flatMap(({ transactions }) => transactions);
  const settledBy = new Map(
    mined.flatMap(({ id, settled }) => settled.map((item) => [item.intentCode, { ...item, id }] as const)),
  );
  for (const { item, status, claimKey } of tables.settlements.values()) {
    // Written for money that went back from an intent that was never settled.
    if (status === 'canceled' || item.payout.direct !== undefined) continue;
    const { paymentId, intentId, intentCode, settledAtomic } = item;
    const payment = tables.payments.get(paymentId);
    const intent = tables.intents.get(intentId)?.intent;
    const onChain = settledBy.get(intentCode);
    if (status !== 'completed' && status !== 'failed') violate('none lost', `${paymentId} is ${status}`);
    if (buyers.get(claimKey)?.isSound && status === 'failed') violate('none lost', `${paymentId} had to complete`);
    const isPaid = payment?.status === 'completed' || payment?.status === 'refunded';
    if ((onChain !== undefined) !== isPaid) {
      violate(
        'statuses true to the chain',
        `${paymentId} is ${payment?.status}, settled on chain: ${onChain !== undefined}`,
      );
    }
    if (status !== (isPaid ? 'completed' : payment?.status))
      violate('one commit', `${paymentId} is ${payment?.status}, its settlement ${status}`);
    if (isPaid && intent?.status !== 'completed') {
      violate('one commit', `${intentId} is ${intent?.status}`);
    }
    if (onChain !== undefined && (payment?.transactionId !== onChain.id || payment.paidAmount !== settledAtomic)) {
      violate('statuses true to the chain', `${paymentId} names ${payment?.transactionId}, the chain ${onChain.id}`);
    }
    checkBooks({ tables, violate }, item, onChain?.id);
  }
  // A payment whose batch reverted is queued again before that is final: a reorganisation may revive the first transaction.
  // And a stranger may be faster.
  const sentTwice = new Set(
    [...tables.settlements.values()]
      .filter(({ revertedBatches, claimKey }) => revertedBatches.length > 0 || buyers.get(claimKey)?.stranger)
      .map(({ item }) => item.intentCode),
  );
  for (const { id, logs } of mined) {
    // A payment that is sent although it was settled: what keeps it from being taken twice is then the chain alone.
    const again = logs.filter(
      ({ data, topics }) =>
        topics.length === 3 &&
        /^0x0{63}[38]/.test(data) &&
        data.length === 194 &&
        !sentTwice.has(BigInt(topics[1] ?? 0n)),
    );
    if (again.length > 0) violate('none twice', `${id} carries a payment that was settled before`);
  }
  checkStranded({ tables, violate }, chain);
  checkGas({ tables, violate }, chain);
  checkNonces({ tables, violate }, chain);
}

type Seen = Pick<Simulation, 'tables' | 'violate'>;

function checkBooks(
  { tables, violate }: Seen,
  { paymentId, capAtomic, settledAtomic }: LaneItem,
  transactionId?: string,
): void {
  const entries = tables.entries.filter((entry) => entry.paymentId === paymentId);
  const back = new Set(entries.map(({ reverses }) => reverses));
  for (const [asset, lines] of Map.groupBy(entries, ({ asset }) => asset)) {
    const sum = lines.reduce((total, { amountAtomic }) => total + amountAtomic, 0n);
    if (sum !== 0n) violate('books', `${paymentId} sums to ${sum} ${asset}`);
  }
  const live = entries.filter((entry) => entry.reverses === null && !back.has(entry.id) && !isOfRefund(tables, entry));
  const earned = live.filter(({ accountName }) => accountName === 'merchant' || accountName === 'platform_fee');
  const earnedAtomic = earned.reduce((total, { amountAtomic }) => total + amountAtomic, 0n);
  if (earnedAtomic !== (transactionId === undefined ? 0n : settledAtomic))
    violate('books', `${paymentId} earned ${earnedAtomic} of ${settledAtomic}, cap ${capAtomic}`);
  if (earned.some((entry) => entry.transactionId !== transactionId))
    violate('books', `${paymentId} is booked elsewhere`);
}

/** What each transaction of ours cost is in the books to the unit, as cost of what it settled or as a loss. */
function checkGas({ tables, violate }: Seen, chain: SimulatedChain): void {
  const booked = new Map<string, bigint>();
  const add = (id: string, amountAtomic: bigint) => booked.set(id, (booked.get(id) ?? 0n) + amountAtomic);
  for (const { transactionId, asset, party, amountAtomic } of tables.entries)
    if (asset === NATIVE_ASSET && party === NETWORK_PARTY) add(transactionId, amountAtomic);
  for (const { transactionId, amountAtomic } of tables.losses) add(transactionId, amountAtomic);
  for (const { id, gasUsed, gasPriceWei, foreign } of chain.blocks().flatMap(({ transactions }) => transactions)) {
    if (!foreign) add(id, -gasUsed * gasPriceWei);
  }
  for (const [id, off] of booked) if (off !== 0n) violate('books', `the gas of ${id} is off by ${off}`);
}

/** Every nonce that the chain used is that of one stored batch, or of a stranger with the same key. */
function checkNonces({ tables, violate }: Seen, chain: SimulatedChain): void {
  const mined = chain.blocks().flatMap(({ transactions }) => transactions);
  const batches = [...tables.batches.values()].filter(({ status }) => status !== 'replaced');
  for (const { address, nextNonce } of tables.relayers.values()) {
    const own = batches.filter(({ relayer }) => relayer === address);
    for (const { id, sender, nonce, foreign } of mined) {
      if (sender !== address) continue;
      const [batch, ...others] = own.filter((one) => one.nonce === nonce);
      const isOurs = batch?.transactions.some(({ transactionId }) => transactionId === id) === true;
      if (others.length > 0 || isOurs === (foreign === true)) violate('nonces', `${address}: ${nonce} is not ${id}`);
      if (nonce >= nextNonce && !foreign) violate('nonces', `${address} goes on at ${nextNonce}, ${id} has ${nonce}`);
    }
    const next = chain.head().state.nonces.get(address) ?? 0n;
    for (const { id, nonce } of own)
      if (nonce >= next) violate('nonces', `${id} has ${nonce}, the chain is at ${next}`);
    if (nextNonce > next) violate('nonces', `${address} goes on at ${nextNonce}, the chain at ${next}`);
  }
}
