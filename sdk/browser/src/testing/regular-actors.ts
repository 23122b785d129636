// The regular flow's actors: what the service offers, and a wallet with a token and a processor behind it.
import { callOf, SELECTORS } from '../evm/words.ts';
import { type Answer, INTENT_ID, SAMPLE } from './fake-service.ts';
import { type Answers, type FakeWallet, fakeWallet, word } from './fake-wallet.ts';

export const PROCESSOR = SAMPLE.payTo;
const TOKEN = SAMPLE.asset ?? '';
export const AMOUNT = '12500000';
export const INTENT_CODE = 4711;
const APPROVE_HASH = `0x${'a1'.repeat(32)}`;
export const PAY_HASH = `0x${'b2'.repeat(32)}`;

const common = {
  network: SAMPLE.network,
  chainId: 8453,
  token: TOKEN,
  tokenShortcode: 'base_usdc',
  decimals: 6,
  amount: AMOUNT,
  expiresAt: '2031-01-01T00:00:00.000Z',
} as const;

export const processorOption = (more: object = {}) => ({
  kind: 'evm_processor' as const,
  ...common,
  payTo: PROCESSOR,
  approve: { to: TOKEN, data: callOf(SELECTORS.approve, PROCESSOR, AMOUNT), amount: AMOUNT, link: 'ethereum:x' },
  pay: { to: PROCESSOR, data: callOf(SELECTORS.pay, TOKEN, INTENT_CODE, 7, AMOUNT) },
  link: 'ethereum:x',
  ...more,
});

export const regularly = (...regular: readonly unknown[]): Answer => ({
  status: 200,
  body: {
    paymentIntentId: INTENT_ID,
    paymentIntent: { id: INTENT_ID, status: 'requires_payment', intentCode: INTENT_CODE },
    regular,
  },
});

/** What the service says where X402 can't be used, with other ways to pay. */
export const recommended: Answer = {
  status: 200,
  body: {
    status: 'failed',
    fallbackSuggested: true,
    error: 'x402_not_available_for_token',
    message: 'A sentence.',
    paymentIntentId: INTENT_ID,
    accepts: [],
    regular: [processorOption()],
  },
};

export type Transaction = { readonly to: string; readonly data: string };

export type ChainWallet = FakeWallet & {
  /** What it sent, in order. */
  readonly sent: readonly Transaction[];
  readonly sentTo: (selector: string) => readonly Transaction[];
};

export const isCallOf = (selector: string, { data }: Transaction): boolean => data.startsWith(selector);

/** Holds a hundred of the token, and sends: what it approves is allowed, and what it pays is in a block. */
export function chainWallet(answers: Answers = {}, allowance = 0n): ChainWallet {
  let allowed = allowance;
  const sent: Transaction[] = [];
  const wallet = fakeWallet({
    eth_call: ([call]) => (isCallOf(SELECTORS.allowance, call as Transaction) ? word(allowed) : word(100_000_000n)),
    eth_sendTransaction: ([transaction]) => {
      const { to, data } = transaction as Transaction;
      sent.push({ to, data });
      if (!isCallOf(SELECTORS.approve, { to, data })) return PAY_HASH;
      allowed = BigInt(`0x${data.slice(-64)}`);
      return APPROVE_HASH;
    },
    eth_getTransactionReceipt: () => ({ status: '0x1', blockNumber: '0x10' }),
    eth_blockNumber: () => '0x20',
    ...answers,
  });
  return { ...wallet, sent, sentTo: (selector) => sent.filter((one) => isCallOf(selector, one)) };
}
