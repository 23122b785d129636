import type { NetworkId } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { ChainUnavailable } from '../lane/lane-chain.ts';
import type { BookedPaymentRow } from '../ledger/books.ts';
import { createFindings } from '../ledger/findings.ts';
import { sampleTokenLedger } from '../testing/sample-token-ledger.ts';
import { checkBlocks } from './check-blocks.ts';
import type { TokenTransfer } from './token-block.ts';
import { memoOfIntent } from './transfer-memo.ts';

const network = 'icp:local' as NetworkId;
const PAID = { from: 'payer', to: 'shop', amountAtomic: 5n } as const;

function world() {
  const sample = sampleTokenLedger(network);
  const { ledger } = sample;
  /** A payment of a new block, as the books have it. */
  const paid = (code: bigint): BookedPaymentRow => {
    const transactionId = `${ledger}:${sample.pay({ ...PAID, intentCode: code }, 1)}`;
    const entry = { accountName: 'merchant', party: 'shop', transactionId };
    const row = {
      network,
      status: 'completed',
      asset: ledger,
      paymentId: `pay_${code}`,
      transactionId,
      payer: 'payer',
    };
    const rest = { paidAtomic: 5n, intent: { code }, terms: null, refunds: [], entries: [entry] };
    return { ...row, ...rest } as unknown as BookedPaymentRow;
  };
  const check = async (...rows: readonly BookedPaymentRow[]) => {
    const findings = createFindings(network, ['blocks'], 100);
    async function* payments() {
      yield rows;
    }
    await checkBlocks({ payments }, sample.chain, findings);
    const [line] = findings.lines();
    return {
      looked: line?.looked,
      found: line?.differences.map(({ about, message }) => [...about, message].join(' ')),
    };
  };
  return { ...sample, sample, paid, check };
}

test('blocks are read in groups, wherever they are', async () => {
  const { calls, paid, check, add } = world();
  const rows = Array.from({ length: 250 }, (_, index) => {
    add(null, 1);
    return paid(BigInt(index + 1));
  });
  expect(await check(...rows)).toEqual({ looked: 250, found: [] });
  expect(calls).toEqual(['at 100', 'at 100', 'at 50']);
});

test('a ledger that tells fewer blocks than asked for is asked again, and one that tells none is not known', async () => {
  const { sample, calls, paid, check } = world();
  const rows = [paid(1n), paid(2n), paid(3n)];
  sample.perCall = 2;
  expect(await check(...rows)).toEqual({ looked: 3, found: [] });
  expect(calls).toEqual(['at 3', 'at 1']);
  sample.perCall = 0;
  await expect(check(...rows)).rejects.toThrow(ChainUnavailable);
});

test('payments of other networks, and those that took no money, are not looked at', async () => {
  const { calls, paid, check } = world();
  const other = { ...paid(1n), network: 'icp:mainnet' };
  const failed = { ...paid(2n), status: 'failed' } as const;
  expect(await check(other, failed)).toEqual({ looked: 0, found: [] });
  expect(calls).toEqual([]);
});

test('a refund is compared with its block, which pays no intent', async () => {
  const { ledger, add, paid, check } = world();
  const transfer: TokenTransfer = { from: 'shop', to: 'payer', amountAtomic: 2n, memo: null };
  const refund = (id: string, change: Partial<TokenTransfer> = {}) => {
    const transactionId = `${ledger}:${add({ ...transfer, ...change }, 2)}`;
    return { id, amountAtomic: 2n, wallet: 'shop', recipient: 'payer', transactionId, logIndex: 0, proven: true };
  };
  const refunds = [refund('good'), refund('less', { amountAtomic: 1n }), refund('memo', { memo: memoOfIntent(7n) })];
  const { looked, found } = await check({ ...paid(1n), refunds });
  expect(looked).toBe(4);
  expect(found).toEqual([
    expect.stringMatching(/^pay_1 less \S+:1 its block has amount 1, the books 2$/),
    expect.stringMatching(/^pay_1 memo \S+:2 its block has intent code 7, the books none$/),
  ]);
});
