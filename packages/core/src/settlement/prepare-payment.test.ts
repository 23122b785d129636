import { atomicAmount, parseRate } from '@svc-pay/money';
import { expect, test } from 'vitest';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import { sampleFamily, sampleIntent } from '../testing/samples.ts';
import { OPEN_BUDGET } from '../testing/settle-world.ts';
import { TOKENS } from '../token/catalogue.ts';
import { type PrepareCall, preparePayment, signablePayment } from './prepare-payment.ts';

const token = TOKENS.find(({ shortcode }) => shortcode === 'sol_eurc')!;
const rate = parseRate({ token: token.unit, usdPerToken: '1.08', source: 'feed', observedAtMs: 0 });
if (!rate.ok) throw new Error(rate.code);
const intent = sampleIntent();
const endsAtMs = intent.createdAtMs + 600_000;
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
  priceEndsAtMs: endsAtMs,
};

const prepared = async () => ({ ok: true }) as never;
const transactions = {
  read: () => undefined,
  verify: async () => ({ ok: false, code: 'internal_error' }) as const,
  prepare: prepared,
  prepareText: prepared,
  request: prepared,
  feePayer: async () => undefined,
  stockTransfer: async () => undefined,
  soleRecipient: () => undefined,
};
const prepareAt = async (
  nowMs: number,
  prepare: typeof preparePayment | typeof signablePayment,
  family = sampleFamily({ transactions }),
  denied?: string,
) => {
  const ports = {
    clock: { nowMs: () => nowMs },
    families: [family],
    isPayerDenied: (payer: string) => payer === denied,
    loadSettlement: async () => ({ intent, latest: null, own: null }),
    loadAcceptances: async () => [acceptance],
    loadWalletBudget: async () => OPEN_BUDGET,
  };
  const call: PrepareCall = { caller: {} as PrepareCall['caller'], intentId: intent.id, payer: 'Payer', echo: null };
  const answer = await prepare(ports, call);
  return answer.ok ? 'prepared' : answer.code;
};

test.each([
  ['transaction', preparePayment],
  ['text', signablePayment],
] as const)('no %s is prepared at a price that has ended', async (_, prepare) => {
  expect(await prepareAt(endsAtMs - 1, prepare)).toBe('prepared');
  expect(await prepareAt(endsAtMs, prepare)).toBe('intent_not_payable');
});

test('nothing is prepared in a family whose payers sign no transactions', async () => {
  expect(await prepareAt(endsAtMs - 1, preparePayment, sampleFamily())).toBe('x402_not_available_for_token');
});

test.each([
  ['transaction', preparePayment],
  ['text', signablePayment],
] as const)('no %s is prepared for a payer who is denied', async (_, prepare) => {
  expect(await prepareAt(endsAtMs - 1, prepare, undefined, 'Payer')).toBe('payer_denied');
  expect(await prepareAt(endsAtMs - 1, prepare, undefined, 'Another')).toBe('prepared');
});
