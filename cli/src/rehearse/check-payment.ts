// Compares what the API, the books and the chain say of one payment, to the smallest unit. Pure: the facts were read before.
import { addressIn, type SeenLog, topicOf, transfersOf } from './chain-facts.ts';
import { agree, type Check, holds } from './check.ts';
import type { PaymentFacts } from './payment-facts.ts';
import { readUnits } from './units.ts';

const SETTLED = topicOf('PaymentSettled(uint64,address,address,uint64,uint256,uint256,uint256)');
const USED = topicOf('AuthorizationUsed(address,bytes32)');
const NATIVE = 'native';

export function checkPayment(facts: PaymentFacts): readonly Check[] {
  return [
    ...checkPaymentObject(facts),
    ...checkReceipt(facts),
    ...checkBooks(facts),
    ...checkBalances(facts),
    ...checkEvents(facts),
  ];
}

/** The payment as the API shows it, by itself and against what was asked. */
function checkPaymentObject({ asked, payment }: PaymentFacts): readonly Check[] {
  const { feeAmount, splits, netAmount, paidAmount, returnedAmount } = payment;
  const parts = [feeAmount, netAmount, ...(splits ?? []).map(({ amount }) => amount)];
  return [
    agree('payment is completed', { expected: 'completed', payment: payment.status }),
    agree('payment is by the payer', { expected: asked.payer, payment: payment.payer }),
    agree('payment is in the token', { expected: asked.token, payment: payment.ledgerCanisterId }),
    agree('amount charged', { expected: asked.chargedAtomic, payment: paidAmount }),
    agree('amount given back', { expected: asked.signedAtomic - asked.chargedAtomic, payment: returnedAmount }),
    agree('fee, splits and net add up to what was paid', {
      parts: parts.reduce((sum, part) => sum + BigInt(part ?? 0), 0n),
      payment: paidAmount,
    }),
  ];
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
const wordAt = ({ data }: SeenLog, index: number): bigint =>
  BigInt(`0x${data.slice(2 + index * 64, 66 + index * 64) || 0}`);

function settledLogs({ asked, receipt }: PaymentFacts): readonly SeenLog[] {
  return receipt.logs.filter(({ address, topics }) => isSame(address, asked.payTo) && topics[0] === SETTLED);
}

function isOurs({ topics: [, code, payer, token] }: SeenLog, { asked }: PaymentFacts): boolean {
  if (code === undefined || payer === undefined || token === undefined) return false;
  return (
    BigInt(code) === BigInt(asked.intentCode) &&
    isSame(addressIn(payer), asked.payer) &&
    isSame(addressIn(token), asked.token)
  );
}

/** Payments that one transaction settles. More than one: what others paid to the same parties is in its logs too. */
function paymentsIn(facts: PaymentFacts): number {
  if (facts.asked.flow !== 'direct') return settledLogs(facts).length;
  return facts.receipt.logs.filter(({ topics: [topic] }) => topic === USED).length;
}

/** The transaction on chain: it succeeded, the payer's money left, and the contract says the same of it as the payment. */
function checkReceipt(facts: PaymentFacts): readonly Check[] {
  const { asked, payment, receipt } = facts;
  const transfers = transfersOf(receipt.logs, asked.token);
  const taken = transfers.filter(({ from, to }) => isSame(from, asked.payer) && isSame(to, asked.payTo));
  return [
    agree('transaction is the payment’s', { receipt: receipt.transactionId, payment: payment.transactionId }),
    holds('transaction succeeded', receipt.succeeded, `block ${receipt.blockNumber}, gas ${receipt.gasUsed}`),
    agree('payer’s transfer on chain', {
      expected: asked.signedAtomic,
      receipt: taken.map(({ amountAtomic }) => amountAtomic).join(' and ') || 'none',
    }),
    ...(asked.flow === 'direct' ? [checkDirect(facts)] : checkSettled(facts)),
  ];
}

function checkDirect({ asked, receipt }: PaymentFacts): Check {
  const uses = receipt.logs.filter(
    ({ address, topics: [topic, payer] }) =>
      isSame(address, asked.token) && topic === USED && payer !== undefined && isSame(addressIn(payer), asked.payer),
  );
  return agree('authorizations of the payer used', { expected: 1, receipt: uses.length });
}

function checkSettled(facts: PaymentFacts): readonly Check[] {
  const { asked, payment } = facts;
  const [log, ...others] = settledLogs(facts).filter((one) => isOurs(one, facts));
  if (log === undefined || others.length > 0)
    return [holds('processor settled the intent once', false, `${others.length + (log ? 1 : 0)} events of it`)];
  return [
    holds('processor settled the intent once', true, `event at log ${log.index}`),
    agree('cap on chain', { expected: asked.signedAtomic, receipt: wordAt(log, 1) }),
    agree('settled amount on chain', { expected: asked.chargedAtomic, receipt: wordAt(log, 2) }),
    agree('fee on chain', { receipt: wordAt(log, 3), payment: payment.feeAmount }),
  ];
}

/** The exports: one booking, with the amounts of the payment; its entries sum to zero and name who got what on chain. */
export function checkBooks(facts: PaymentFacts): readonly Check[] {
  const { asked, payment, bookings, entries, receipt } = facts;
  const [booking, ...others] = bookings;
  if (booking === undefined || others.length > 0)
    return [holds('booked once', false, `${bookings.length} bookings in the export`)];
  const { decimals } = asked;
  const units = (text: string) => readUnits(text, decimals);
  const splits = (payment.splits ?? []).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const ofAccount = (account: string) =>
    entries
      .filter((entry) => entry.account === account && entry.asset !== NATIVE)
      .reduce((sum, { amount }) => sum + units(amount), 0n);
  return [
    holds('booked once', booking.kind === 'paid' && !booking.reversal, `${booking.bookingId}, ${booking.kind}`),
    agree('gross in the books', {
      expected: asked.signedAtomic,
      export: units(booking.gross),
      ledger: -ofAccount('payer'),
    }),
    agree('fee in the books', {
      payment: payment.feeAmount,
      export: units(booking.fee),
      ledger: ofAccount('platform_fee'),
    }),
    agree('splits in the books', { payment: splits, export: units(booking.splits), ledger: ofAccount('split') }),
    agree('refund in the books', {
      payment: payment.returnedAmount,
      export: units(booking.refund),
      ledger: ofAccount('refund'),
    }),
    agree('net in the books', {
      payment: payment.netAmount,
      export: units(booking.net),
      ledger: ofAccount('merchant'),
    }),
    agree('nothing is left at the processor', { expected: 0, export: units(booking.escrow) }),
    checkZeroSum(facts),
    agree('transaction in the books', { receipt: receipt.transactionId, export: booking.transactionId }),
    agree('block in the books', { receipt: receipt.blockNumber, export: booking.block }),
    checkGas(facts),
    ...checkParties(facts),
  ];
}

function checkZeroSum({ entries }: PaymentFacts): Check {
  const sums = [...Map.groupBy(entries, ({ asset }) => asset)].map(([asset, ofAsset]) => {
    const sum = ofAsset.reduce((total, { amount, decimals }) => total + readUnits(amount, decimals), 0n);
    return `${asset} ${sum}`;
  });
  return holds('entries sum to zero', sums.length > 0 && sums.every((text) => text.endsWith(' 0')), sums.join(', '));
}

function checkGas(facts: PaymentFacts): Check {
  const booked = facts.entries
    .filter(({ asset, amount }) => asset === NATIVE && !amount.startsWith('-'))
    .reduce((sum, { amount, decimals }) => sum + readUnits(amount, decimals), 0n);
  const { costAtomic } = facts.receipt;
  if (paymentsIn(facts) === 1) return agree('gas in the books', { receipt: costAtomic, ledger: booked });
  const fits = booked > 0n && booked <= costAtomic;
  return holds('gas in the books', fits, `ledger ${booked} of the transaction’s ${costAtomic}, shared with others`);
}

/** Who got what by the books, and by the transfers of the transaction. A direct payment has one transfer, checked before. */
function checkParties(facts: PaymentFacts): readonly Check[] {
  const { asked, entries, receipt } = facts;
  if (asked.flow === 'direct') return [];
  const alone = paymentsIn(facts) === 1;
  const paid = Map.groupBy(
    transfersOf(receipt.logs, asked.token).filter(({ from }) => isSame(from, asked.payTo)),
    ({ to }) => to,
  );
  const booked = Map.groupBy(
    entries.filter(({ asset, account }) => asset !== NATIVE && account !== 'payer'),
    ({ party }) => party.toLowerCase(),
  );
  const parties = new Set([...booked.keys(), ...(alone ? paid.keys() : [])]);
  return [...parties].map((party) => {
    const ledger = (booked.get(party) ?? []).reduce(
      (sum, { amount, decimals }) => sum + readUnits(amount, decimals),
      0n,
    );
    const chain = (paid.get(party) ?? []).reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
    const id = `paid to ${party}`;
    if (alone) return agree(id, { ledger, receipt: chain });
    return holds(id, chain >= ledger, `ledger ${ledger}, receipt ${chain} with what others paid`);
  });
}

/** The token's own balances over the block: they change by what its logs say, and the payer's by what was charged. */
function checkBalances({ asked, balances, blockTransfers }: PaymentFacts): readonly Check[] {
  return balances.map(({ party, beforeAtomic, afterAtomic }) => {
    const moved = blockTransfers.reduce(
      (sum, { from, to, amountAtomic }) =>
        sum + (isSame(to, party) ? amountAtomic : 0n) - (isSame(from, party) ? amountAtomic : 0n),
      0n,
    );
    const change = { balance: afterAtomic - beforeAtomic, logs: moved };
    return isSame(party, asked.payer)
      ? agree('balance of the payer', { expected: -asked.chargedAtomic, ...change })
      : agree(`balance of ${party}`, change);
  });
}

const EXPECTED_EVENTS = {
  exact: ['payment_intent.created', 'payment.created', 'payment.completed'],
  direct: ['payment_intent.created', 'payment.created', 'payment.completed'],
  upto: ['payment_intent.created', 'x402_upto_authorization_received', 'payment.created', 'payment.completed'],
} as const;

export const WEBHOOKS = 'webhooks were delivered';

/** Fields of a payment that an event and the API must say alike. */
const TOLD = ['status', 'transactionId', 'paidAmount', 'feeAmount', 'netAmount', 'returnedAmount', 'payer'] as const;

/** Webhooks without any delivery are not checked: the account has no endpoint that takes the events. */
export function checkEvents({ asked, payment, events }: PaymentFacts): readonly Check[] {
  const inOrder = events.toSorted((one, other) => one.sequence - other.sequence);
  const types = inOrder.map(({ type }) => type).filter((type) => type !== 'payment.updated');
  const completed = inOrder.find(({ type }) => type === 'payment.completed')?.event as
    | { readonly data?: { readonly object?: Readonly<Record<string, unknown>> } }
    | undefined;
  const told = completed?.data?.object ?? {};
  const differing = TOLD.filter((field) => String(told[field]) !== String(payment[field]));
  const count = (status: 'pending' | 'succeeded' | 'failed') =>
    events.reduce((sum, { deliveries }) => sum + deliveries[status], 0);
  return [
    agree('events', { expected: EXPECTED_EVENTS[asked.flow].join(' '), log: types.join(' ') }),
    holds(
      'events are numbered without a gap',
      inOrder.every(({ sequence }, index) => sequence === index + 1),
      inOrder.map(({ sequence }) => sequence).join(' '),
    ),
    holds(
      'payment.completed says what the payment says',
      completed !== undefined && differing.length === 0,
      completed === undefined
        ? 'there is none'
        : differing.length === 0
          ? 'alike'
          : `differs in ${differing.join(', ')}`,
    ),
    ...(count('succeeded') + count('pending') + count('failed') === 0
      ? []
      : [
          holds(
            WEBHOOKS,
            count('pending') === 0 && count('failed') === 0,
            `${count('succeeded')} succeeded, ${count('pending')} pending, ${count('failed')} failed`,
          ),
        ]),
  ];
}
