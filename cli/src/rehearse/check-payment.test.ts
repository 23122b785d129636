import { expect, test } from 'vitest';
import { type SeenLog, topicOf } from './chain-facts.ts';
import { checkPayment } from './check-payment.ts';
import type { PaymentFacts } from './payment-facts.ts';

const address = (digit: string) => `0x${digit.repeat(40)}`;
const [PAYER, PROCESSOR, TOKEN, MERCHANT, FEES] = ['1', '2', '3', '4', '5'].map(address) as [string, ...string[]] &
  readonly [string, string, string, string, string];
const word = (value: string | bigint) =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0');
const TRANSACTION = `0x${'ab'.repeat(32)}`;

const transfer = (from: string, to: string, amount: bigint, index: bigint): SeenLog => ({
  address: TOKEN,
  topics: [topicOf('Transfer(address,address,uint256)'), `0x${word(from)}`, `0x${word(to)}`],
  data: `0x${word(amount)}`,
  index,
});
const settled = (fee: bigint): SeenLog => ({
  address: PROCESSOR,
  topics: [
    topicOf('PaymentSettled(uint64,address,address,uint64,uint256,uint256,uint256)'),
    `0x${word(77n)}`,
    `0x${word(PAYER)}`,
    `0x${word(TOKEN)}`,
  ],
  data: `0x${word(9n)}${word(50_000n)}${word(10_000n)}${word(fee)}`,
  index: 1n,
});
const entry = (account: string, party: string, amount: string, asset = TOKEN, decimals = 6) => ({
  account,
  party,
  amount,
  asset,
  decimals,
  entryId: account,
  bookingId: 'lg_1',
  paymentId: 'pay_1',
  paymentIntentId: 'pi_1',
  bookedAt: '',
  chain: 'eip155:84532',
  tokenShortcode: null,
  transactionId: TRANSACTION,
  logIndex: 1,
  block: '12',
  reverses: null,
});
const event = (type: string, sequence: number, object: object = {}) => ({
  id: `evt_${sequence}`,
  type,
  sequence,
  deliveries: { pending: 0, succeeded: 0, failed: 0, discarded: 0 },
  event: { data: { object } },
});

/** An up-to payment of 0.01 of a cap of 0.05, with a fee of 0.0001. */
function facts(): PaymentFacts {
  const payment = {
    id: 'pay_1',
    status: 'completed',
    payer: PAYER,
    ledgerCanisterId: TOKEN,
    transactionId: TRANSACTION,
    paidAmount: '10000',
    refundedAmount: '40000',
    feeAmount: '100',
    splits: [],
    netAmount: '9900',
  };
  return {
    asked: {
      flow: 'upto',
      paymentIntentId: 'pi_1',
      intentCode: 77,
      token: TOKEN,
      decimals: 6,
      payer: PAYER,
      payTo: PROCESSOR,
      signedAtomic: 50_000n,
      chargedAtomic: 10_000n,
    },
    payment,
    events: [
      event('payment.completed', 4, payment),
      event('payment.created', 3),
      event('x402_upto_authorization_received', 2),
      event('payment_intent.created', 1),
    ],
    bookings: [
      {
        paymentId: 'pay_1',
        bookingId: 'lg_1',
        kind: 'paid',
        reversal: false,
        gross: '0.05',
        fee: '0.0001',
        splits: '0',
        refund: '0.04',
        escrow: '0',
        net: '0.0099',
        transactionId: TRANSACTION,
        block: '12',
      },
    ],
    entries: [
      entry('payer', PAYER, '-0.05'),
      entry('merchant', MERCHANT, '0.0099'),
      entry('platform_fee', FEES, '0.0001'),
      entry('refund', PAYER, '0.04'),
      entry('network_cost', address('9'), '-0.000000000000003', 'native', 18),
      entry('network_cost', 'network', '0.000000000000003', 'native', 18),
    ],
    receipt: {
      transactionId: TRANSACTION,
      succeeded: true,
      blockNumber: 12n,
      blockHash: `0x${'cd'.repeat(32)}`,
      gasUsed: 1_000n,
      costAtomic: 3_000n,
      logs: [
        transfer(PAYER, PROCESSOR, 50_000n, 0n),
        settled(100n),
        transfer(PROCESSOR, MERCHANT, 9_900n, 2n),
        transfer(PROCESSOR, FEES, 100n, 3n),
        transfer(PROCESSOR, PAYER, 40_000n, 4n),
      ],
    },
    balances: [
      { party: PAYER, beforeAtomic: 60_000n, afterAtomic: 50_000n },
      { party: MERCHANT, beforeAtomic: 0n, afterAtomic: 9_900n },
    ],
    blockTransfers: [
      { from: PAYER, to: PROCESSOR, amountAtomic: 50_000n },
      { from: PROCESSOR, to: PAYER, amountAtomic: 40_000n },
      { from: PROCESSOR, to: MERCHANT, amountAtomic: 9_900n },
    ],
  } as unknown as PaymentFacts;
}

const redOf = (changed: PaymentFacts) => checkPayment(changed).flatMap(({ id, ok }) => (ok ? [] : [id]));

test('a payment that everybody says the same of is green', () => {
  expect(redOf(facts())).toEqual([]);
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
  const good = facts();
  const found = redOf({ ...good, ...change(good) });
  expect(found).toEqual(expect.arrayContaining([...red]));
});

test('a transaction with payments of others is compared by what it must have at least', () => {
  const good = facts();
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
