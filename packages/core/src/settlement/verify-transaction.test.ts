import { atomicAmount, parseRate, usdMicros } from '@svc-pay/money';
import { encodePaymentHeader } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import { sampleFamily, sampleIntent } from '../testing/samples.ts';
import { TOKENS } from '../token/catalogue.ts';
import type { TransferVerdict } from './payment-family.ts';
import { type EncodedPayment, readSubmission } from './read-submission.ts';
import { verifyTransaction } from './verify-transaction.ts';

const token = TOKENS.find(({ shortcode }) => shortcode === 'soldevnet_usdc')!;
const rate = parseRate({ token: token.unit, usdPerToken: '1', source: 'fixed', observedAtMs: 0 });
if (!rate.ok) throw new Error(rate.code);
const acceptance: StoredAcceptance = {
  position: 0,
  scheme: 'exact',
  network: token.network,
  token,
  payTo: 'Merchant',
  amount: atomicAmount(1_000_000n),
  payoutId: 1n,
  maxTimeoutSeconds: 60,
  confirmations: 1,
  rate: rate.rate,
  minimumUsdMicros: null,
  priceEndsAtMs: null,
};
const intent = sampleIntent();
const signed = {
  kind: 'solana_transaction',
  byContract: false,
  authorization: { from: 'Payer', to: 'Merchant', value: '1', validAfter: '0', validBefore: '1', nonce: '0x00' },
  signature: '0x00',
} as const;

type Case = {
  encoded?: EncodedPayment;
  offered?: StoredAcceptance;
  expectedSender?: string;
  verdict?: TransferVerdict;
};

async function verify(change: Case = {}) {
  const { encoded = { transaction: 'signed' }, offered = acceptance, expectedSender = null } = change;
  const asked: unknown[] = [];
  const transactions = {
    read: (transaction: string) =>
      transaction === 'signed' ? { payer: 'Payer', messageHash: 'ab'.repeat(32) } : undefined,
    verify: async (submitted: unknown): Promise<TransferVerdict> => {
      asked.push(submitted);
      return change.verdict ?? { ok: true, acceptance: offered, signed };
    },
    prepare: async () => ({ ok: false, code: 'internal_error' }) as const,
    prepareText: async () => ({ ok: false, code: 'internal_error' }) as const,
    request: async () => ({ ok: false, code: 'internal_error' }) as const,
    feePayer: async () => undefined,
    stockTransfer: async () => undefined,
    soleRecipient: () => undefined,
  };
  // The first family reads no transactions: the one that does is found by its reading.
  const families = [sampleFamily(), sampleFamily({ transactions, owns: (network) => network === token.network })];
  const submission = readSubmission(families, encoded);
  if (submission.form !== 'transaction') throw new Error('an authorization');
  const ports = { clock: { nowMs: () => intent.createdAtMs }, loadAcceptances: async () => [offered] };
  const context = { caller: {} as Parameters<typeof verifyTransaction>[1]['caller'], intentId: intent.id };
  return { verification: await verifyTransaction(ports, context, submission, { ...intent, expectedSender }), asked };
}

const header = (change: object = {}, echo: object | null = null): Case => ({
  encoded: {
    encodedHeader: encodePaymentHeader({
      x402Version: 1,
      scheme: 'exact',
      network: 'solana:devnet',
      payload: { transaction: 'signed' },
      ...change,
    }),
    echo: echo && {
      scheme: 'exact',
      network: token.network,
      payTo: 'Merchant',
      maxAmountRequired: '1000000',
      asset: token.address,
      ...echo,
    },
  },
});

test.each<[string, Case]>([
  ['by itself', {}],
  ['in a header', header()],
  ['with the acceptance that it pays', header({}, {})],
  ['from the expected sender', { expectedSender: 'Payer' }],
  ['of exactly the minimum', { offered: { ...acceptance, minimumUsdMicros: usdMicros(1_000_000n) } }],
])('a transaction is verified by the family that reads it, and claimed by its message: %s', async (_, change) => {
  const { verification, asked } = await verify(change);
  expect(verification).toMatchObject({ ok: true, verified: { ...signed, acceptance: { position: 0 } } });
  expect(asked).toMatchObject([{ intentId: intent.id, transaction: 'signed', acceptances: [{ position: 0 }] }]);
});

test.each<[string, Case, string, string | undefined]>([
  ['a transaction that nobody can read', { encoded: { transaction: 'x' } }, 'invalid_payment_header', 'transaction'],
  ['another network', header({ network: 'solana:mainnet' }), 'network_mismatch', undefined],
  ['another scheme', header({ scheme: 'upto' }), 'scheme_mismatch', undefined],
  ['another price', header({}, { maxAmountRequired: '1' }), 'acceptance_mismatch', undefined],
  ['another recipient', header({}, { payTo: 'merchant' }), 'acceptance_mismatch', undefined],
  ['another token', header({}, { asset: 'Mint' }), 'asset_mismatch', undefined],
  ['an unexpected sender', { expectedSender: 'Somebody' }, 'sender_mismatch', undefined],
  [
    'a price that has ended',
    { offered: { ...acceptance, priceEndsAtMs: intent.createdAtMs } },
    'intent_not_payable',
    'price',
  ],
])('%s is refused before any chain is asked', async (_, change, code, detail) => {
  const { verification, asked } = await verify(change);
  expect(verification).toEqual({ ok: false, code, ...(detail !== undefined && { detail }) });
  expect(asked).toEqual([]);
});

test('the rule for the memo of a transaction that was signed before its intent existed reaches the family', async () => {
  const memo = { required: 'order 7' };
  expect((await verify({ encoded: { transaction: 'signed', memo } })).asked).toMatchObject([{ memo }]);
  expect((await verify()).asked).toMatchObject([expect.not.objectContaining({ memo: expect.anything() })]);
});

test('less than the minimum it was offered under is refused', async () => {
  const offered = { ...acceptance, minimumUsdMicros: usdMicros(1_000_001n) };
  const { verification } = await verify({ offered });
  expect(verification).toEqual({ ok: false, code: 'x402_minimum_amount_not_met' });
});

test('after a refusal by the chain the stored rows are asked: another call may have claimed the transaction', async () => {
  const { verification } = await verify({ verdict: { ok: false, code: 'amount_mismatch', detail: 'amount' } });
  expect(verification).toEqual({ ok: false, code: 'amount_mismatch', detail: 'amount', claimed: 'perhaps' });
});
