import { atomicAmount, parseRate } from '@svc-pay/money';
import { parseNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import { sampleIntent, samplePayment } from '../testing/samples.ts';
import { TOKENS } from '../token/catalogue.ts';
import type { SettlePorts } from './settle-ports.ts';
import { settleTransfer } from './settle-transfer.ts';
import type { PaymentProgress, SettlementRead } from './settlement-read.ts';
import type { TransferPorts, TransferVerdict } from './transfer-ports.ts';

const token = TOKENS.find(({ shortcode }) => shortcode === 'soldevnet_usdc')!;
const rate = parseRate({ token: token.unit, usdPerToken: '1', source: 'fixed', observedAtMs: 0 });
if (!rate.ok) throw new Error(rate.code);
const acceptance: StoredAcceptance = {
  position: 0,
  scheme: 'exact',
  network: parseNetwork('solana:devnet')!,
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
const intent = sampleIntent({ status: 'requires_payment', upto: false, expectedSender: null });
const done: PaymentProgress = {
  payment: samplePayment({ status: 'completed', transactionId: 'signature' }),
  failureCode: null,
  externalCostAmount: null,
  feeAmount: null,
  refundAmount: null,
  sentTransactionId: null,
};
const call = {
  caller: {} as Parameters<typeof settleTransfer>[1]['caller'],
  intentId: intent.id,
  transaction: 'transaction',
  header: null,
  echo: null,
  claim: null,
  limited: false,
} as const;

/** `reads` are the successive reads of the database. */
async function settle(
  verdict: TransferVerdict,
  reads: readonly SettlementRead[],
  change: object = {},
  offered: StoredAcceptance = acceptance,
) {
  const attempts: unknown[] = [];
  let looks = 0;
  const ports = {
    clock: { nowMs: () => intent.createdAtMs },
    settleWaitMs: 0,
    readTransfer: () => ({ payer: 'Payer', messageHash: 'ab'.repeat(32) }),
    loadSettlement: async () => reads[Math.min(looks++, reads.length - 1)],
    loadAcceptances: async () => [offered],
    verifyTransfer: async () => verdict,
    recordAttempt: async (attempt: unknown) => void attempts.push(attempt),
  } as unknown as SettlePorts & TransferPorts;
  return { settled: await settleTransfer(ports, { ...call, ...change }), attempts };
}

const open: SettlementRead = { intent, latest: null, own: null };

test('a transaction that was claimed while the chain was asked has the first one’s result, whatever the chain says of it', async () => {
  const paid: SettlementRead = { intent: { ...intent, status: 'completed' }, latest: done, own: done };
  for (const code of ['insufficient_funds', 'authorization_expired', 'chain_unavailable'] as const) {
    const { settled, attempts } = await settle({ ok: false, code }, [open, paid]);
    expect(settled).toMatchObject({ ok: true, response: { status: 'succeeded', transactionId: 'signature' } });
    expect(attempts).toEqual([]);
  }
});

test('a refusal is kept with the payer as the chain spells it, and a silent chain refuses nothing', async () => {
  const { settled, attempts } = await settle({ ok: false, code: 'amount_mismatch', detail: 'amount' }, [open]);
  expect(settled).toMatchObject({ ok: true, response: { status: 'failed', error: 'amount_mismatch' } });
  expect(attempts).toMatchObject([{ code: 'amount_mismatch', detail: 'amount', payer: 'Payer' }]);
  const silent = await settle({ ok: false, code: 'chain_unavailable' }, [open]);
  expect(silent).toEqual({ settled: { ok: false, code: 'chain_unavailable' }, attempts: [] });
});

test.each([
  ['another network', { header: { scheme: 'exact', network: 'solana:mainnet' } }, 'network_mismatch'],
  ['another scheme', { header: { scheme: 'upto', network: 'solana:devnet' } }, 'scheme_mismatch'],
  ['another price', { echo: echoOf({ maxAmountRequired: '1' }) }, 'acceptance_mismatch'],
  ['another recipient', { echo: echoOf({ payTo: 'merchant' }) }, 'acceptance_mismatch'],
  ['another token', { echo: echoOf({ asset: 'Mint' }) }, 'asset_mismatch'],
])('%s than was offered is refused before any chain is asked', async (_, change, error) => {
  const never: TransferVerdict = { ok: false, code: 'internal_error' };
  const { settled } = await settle(never, [open], change);
  expect(settled).toMatchObject({ ok: true, response: { status: 'failed', error } });
});

test('a price that has ended is refused before any chain is asked, and the payer is told that the intent is over', async () => {
  const never: TransferVerdict = { ok: false, code: 'internal_error' };
  const ended = { ...acceptance, priceEndsAtMs: intent.createdAtMs };
  const { settled, attempts } = await settle(never, [open], {}, ended);
  expect(settled).toMatchObject({ ok: true, response: { status: 'failed', error: 'intent_not_payable' } });
  expect(attempts).toMatchObject([{ code: 'intent_not_payable', detail: 'price' }]);
});

function echoOf(change: object) {
  const { scheme, network, payTo, amount } = acceptance;
  return { scheme, network, payTo, maxAmountRequired: amount.toString(), asset: token.address, ...change };
}
