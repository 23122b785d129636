import { expect, test } from 'vitest';
import type { ActivePayout } from '../payout/merchant-setup.ts';
import { sampleActivation } from '../testing/sample-activation.ts';
import { TOKENS } from '../token/catalogue.ts';
import { choosePayTo } from './choose-pay-to.ts';

const usdc = TOKENS.find(({ shortcode }) => shortcode === 'base_usdc')!;
const processor = `0x${'9C'.repeat(20)}`;
const NOW_MS = 1_700_000_000_000;
const through: ActivePayout = {
  network: usdc.network,
  payoutId: 1n,
  processor: processor.toLowerCase(),
  merchant: `0x${'5a'.repeat(20)}`,
  feeBps: 100,
  splits: [],
};
const walletOf = (payoutId: bigint) => `0x${payoutId.toString().padStart(40, 'a')}`;
const direct = (payoutId: bigint, activeFromMs = NOW_MS): ActivePayout => {
  const wallet = walletOf(payoutId);
  const asset = usdc.address.toLowerCase();
  const activation = sampleActivation({ wallet, asset, number: payoutId });
  const part = { asset, activation, activeFromMs, readable: true };
  return { ...through, payoutId, processor: wallet, merchant: wallet, feeBps: 0, direct: part };
};
const choose = (payTo: string, payouts: readonly ActivePayout[], takesProcessor = false) =>
  choosePayTo(payTo, payouts, usdc, { processor }, takesProcessor, NOW_MS);

test('the active wallet is taken, in any letter case', () => {
  const payTo = walletOf(3n).toUpperCase().replace('0X', '0x');
  expect(choose(payTo, [direct(2n), direct(3n), through])).toMatchObject({ ok: true, payout: { payoutId: 3n } });
});

test.each<[string, string, readonly ActivePayout[], boolean, string | undefined]>([
  ['a stranger’s wallet', walletOf(9n), [direct(2n)], false, walletOf(2n)],
  ['a wallet that was replaced', walletOf(2n), [direct(2n), direct(3n)], false, walletOf(3n)],
  ['a wallet whose time has not come', walletOf(3n), [direct(2n), direct(3n, NOW_MS + 1)], false, walletOf(2n)],
  ['the processor, where the account did not opt in', processor, [through], false, undefined],
  ['the processor, where a wallet is active', processor, [through, direct(2n)], true, walletOf(2n)],
  ['the merchant behind the processor', through.merchant, [through], true, processor.toLowerCase()],
  ['anything, where the account has no payout', walletOf(2n), [], true, undefined],
])('%s is refused, and the right address is named', (_, payTo, payouts, takesProcessor, expected) => {
  expect(choose(payTo, payouts, takesProcessor)).toMatchObject({ ok: false, expected });
});

test('the processor is taken for an account that opted in and has no wallet', () => {
  expect(choose(processor, [through], true)).toMatchObject({ ok: true, payout: { payoutId: 1n } });
});
