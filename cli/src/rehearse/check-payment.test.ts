import { expect, test } from 'vitest';
import {
  address,
  event,
  FEES,
  MERCHANT,
  PROCESSOR,
  settled,
  TOKEN,
  transfer,
  uptoFacts,
  word,
} from '../testing/upto-facts.ts';
import { checkPayment, WEBHOOKS } from './check-payment.ts';
import type { PaymentFacts } from './payment-facts.ts';

const redOf = (changed: PaymentFacts) => checkPayment(changed).flatMap(({ id, ok }) => (ok ? [] : [id]));

test('a payment that everybody says the same of is green', () => {
  expect(redOf(uptoFacts())).toEqual([]);
});

/** One fact is false; these checks say so. */
const FAULTS: readonly (readonly [string, (good: PaymentFacts) => object, readonly string[]])[] = [
  ['not completed', ({ payment }) => ({ payment: { ...payment, status: 'pending' } }), ['payment is completed']],
  [
    'the books have another fee',
    ({ bookings: [one] }) => ({ bookings: [{ ...one, fee: '0.000101' }] }),
    ['fee in the books'],
  ],
  ['booked twice', ({ bookings: [one] }) => ({ bookings: [one, one] }), ['booked once']],
  ['not booked', () => ({ bookings: [], entries: [] }), ['booked once']],
  ['a reversal', ({ bookings: [one] }) => ({ bookings: [{ ...one, reversal: true }] }), ['booked once']],
  [
    'another block in the books',
    ({ bookings: [one] }) => ({ bookings: [{ ...one, block: '13' }] }),
    ['block in the books'],
  ],
  [
    'a unit is lost in the ledger',
    ({ entries }) => ({
      entries: entries.map((one) => (one.account === 'merchant' ? { ...one, amount: '0.009899' } : one)),
    }),
    ['net in the books', 'entries sum to zero', `paid to ${MERCHANT}`],
  ],
  [
    'gas is booked for another price',
    ({ receipt }) => ({ receipt: { ...receipt, costAtomic: 3_001n } }),
    ['gas in the books'],
  ],
  [
    'the transaction reverted',
    ({ receipt }) => ({ receipt: { ...receipt, succeeded: false } }),
    ['transaction succeeded'],
  ],
  [
    'the receipt is of another transaction',
    ({ receipt }) => ({ receipt: { ...receipt, transactionId: `0x${'00'.repeat(32)}` } }),
    ['transaction is the payment’s', 'transaction in the books'],
  ],
  [
    'the processor took another fee',
    ({ receipt }) => ({ receipt: { ...receipt, logs: receipt.logs.with(1, settled(101n)) } }),
    ['fee on chain'],
  ],
  [
    'the processor settled nothing',
    ({ receipt }) => ({ receipt: { ...receipt, logs: receipt.logs.toSpliced(1, 1) } }),
    ['processor settled the intent once'],
  ],
  [
    'the transaction paid somebody who is not in the books',
    ({ receipt }) => ({ receipt: { ...receipt, logs: [...receipt.logs, transfer(PROCESSOR, address('8'), 1n, 5n)] } }),
    [`paid to ${address('8')}`],
  ],
  [
    'the token’s balance is not what its logs say',
    ({ balances: [payer, merchant] }) => ({ balances: [payer, { ...merchant, afterAtomic: 9_899n }] }),
    [`balance of ${MERCHANT}`],
  ],
  [
    'more left the payer than was charged',
    ({ balances: [payer, merchant] }) => ({ balances: [{ ...payer, afterAtomic: 49_999n }, merchant] }),
    ['balance of the payer'],
  ],
  [
    'an event is missing',
    ({ events }) => ({ events: events.filter(({ type }) => type !== 'payment.created') }),
    ['events', 'events are numbered without a gap'],
  ],
  [
    'the event has another amount',
    ({ events, payment }) => ({
      events: events.with(0, event('payment.completed', 4, { ...payment, netAmount: '1' }) as never),
    }),
    ['payment.completed says what the payment says'],
  ],
  [
    'a webhook is pending',
    ({ events: [last, ...others] }) => ({
      events: [{ ...last, deliveries: { pending: 1, succeeded: 0, failed: 0, discarded: 0 } }, ...others],
    }),
    ['webhooks were delivered'],
  ],
];

test.each(FAULTS)('red: %s', (_, change, red) => {
  const good = uptoFacts();
  const found = redOf({ ...good, ...change(good) });
  expect(found).toEqual(expect.arrayContaining([...red]));
});

test('a transaction with payments of others is compared by what it must have at least', () => {
  const good = uptoFacts();
  const shared = {
    ...good,
    receipt: {
      ...good.receipt,
      costAtomic: 9_000n,
      logs: [
        ...good.receipt.logs,
        {
          ...settled(5n),
          topics: [settled(5n).topics[0] ?? '', `0x${word(78n)}`, `0x${word(MERCHANT)}`, `0x${word(TOKEN)}`],
        },
        transfer(PROCESSOR, FEES, 5n, 6n),
      ],
    },
  };
  expect(redOf(shared)).toEqual([]);
  const tooLittle = shared.receipt.logs.filter(({ index }) => index !== 2n);
  expect(redOf({ ...shared, receipt: { ...shared.receipt, logs: tooLittle } })).toEqual([`paid to ${MERCHANT}`]);
});

test('webhooks without a delivery are not checked; with one they are', () => {
  const ids = (facts: PaymentFacts) => checkPayment(facts).map(({ id }) => id);
  const good = uptoFacts();
  expect(ids(good)).not.toContain(WEBHOOKS);
  const [last, ...others] = good.events as readonly [PaymentFacts['events'][number]];
  const delivered = { ...last, deliveries: { pending: 0, succeeded: 1, failed: 0, discarded: 0 } };
  expect(ids({ ...good, events: [delivered, ...others] })).toContain(WEBHOOKS);
});
