// Facts of one up-to payment of which everybody says the same.
import { type SeenLog, topicOf } from '../rehearse/chain-facts.ts';
import type { PaymentFacts } from '../rehearse/payment-facts.ts';

export const address = (digit: string) => `0x${digit.repeat(40)}`;
const PAYER = address('1');
export const PROCESSOR = address('2');
export const TOKEN = address('3');
export const MERCHANT = address('4');
export const FEES = address('5');
export const word = (value: string | bigint) =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0');
const TRANSACTION = `0x${'ab'.repeat(32)}`;

export const transfer = (from: string, to: string, amount: bigint, index: bigint): SeenLog => ({
  address: TOKEN,
  topics: [topicOf('Transfer(address,address,uint256)'), `0x${word(from)}`, `0x${word(to)}`],
  data: `0x${word(amount)}`,
  index,
});
export const settled = (fee: bigint): SeenLog => ({
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
export const event = (type: string, sequence: number, object: object = {}) => ({
  id: `evt_${sequence}`,
  type,
  sequence,
  deliveries: { pending: 0, succeeded: 0, failed: 0, discarded: 0 },
  event: { data: { object } },
});

/** An up-to payment of 0.01 of a cap of 0.05, with a fee of 0.0001. */
export function uptoFacts(): PaymentFacts {
  const payment = {
    id: 'pay_1',
    status: 'completed',
    payer: PAYER,
    ledgerCanisterId: TOKEN,
    transactionId: TRANSACTION,
    paidAmount: '10000',
    returnedAmount: '40000',
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
