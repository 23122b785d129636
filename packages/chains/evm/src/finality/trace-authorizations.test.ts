import type { AuthorizationOutcome, LaneItem } from '@svc-pay/core';
import { toEventSelector } from 'viem';
import { expect, test } from 'vitest';
import { AUTHORIZATION_USED, SETTLED, wordOf } from '../prove/settlement-logs.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { traceAuthorizations } from './trace-authorizations.ts';

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const [token, processor] = [`0x${'70'.repeat(20)}`, `0x${'99'.repeat(20)}`];
const [payer, stranger] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`];
const nonce = `0x${'01'.repeat(32)}`;
const tx = `0x${'ab'.repeat(32)}`;
const item: LaneItem = {
  accountId: 'acct_1' as LaneItem['accountId'],
  mode: 'test',
  paymentId: 'pay_1' as LaneItem['paymentId'],
  intentId: 'pi_1' as LaneItem['intentId'],
  intentCode: 7n,
  number: 1n,
  asset: token,
  processor,
  kind: 'transfer_with_authorization',
  byContract: false,
  payer,
  capAtomic: 5n,
  settledAtomic: 5n,
  validAfterSeconds: 0n,
  validBeforeSeconds: 9n,
  nonce,
  signature: '0x',
  payout: { id: 1n, merchant: stranger, feeBps: 0, splits: [] },
  confirmations: 1,
};

type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: string };
const used: Log = { address: token, topics: [AUTHORIZATION_USED, wordOf(payer), nonce], data: '0x' };
const paid: Log = { address: token, topics: [TRANSFER, wordOf(payer), wordOf(processor)], data: wordOf(5n) };
const settledFor = (who: string, amountAtomic = 5n): Log => ({
  address: processor,
  topics: [SETTLED, wordOf(7n), wordOf(who), wordOf(token)],
  data: `0x${[1n, 5n, amountAtomic, 0n].map((word) => wordOf(word).slice(2)).join('')}`,
});

/** A lagging node: its log search finds the use of the authorization and no event of the processor. */
function nodeWith(logs: readonly Log[]): JsonRpc {
  const placed = logs.map((log, index) => ({ ...log, logIndex: `0x${index}`, transactionHash: tx }));
  const receipt = {
    transactionHash: tx,
    from: stranger,
    blockHash: `0x${'b1'.repeat(32)}`,
    blockNumber: '0x10',
    status: '0x1',
    gasUsed: '0x1',
    effectiveGasPrice: '0x1',
    logs: placed,
  };
  const answer = (method: string, params: readonly unknown[]): unknown => {
    if (method === 'eth_getLogs') {
      const { address } = params[0] as { address: readonly string[] };
      return address.includes(processor) ? [] : placed.filter((log) => log.topics[0] === AUTHORIZATION_USED);
    }
    if (method === 'eth_getTransactionReceipt') return receipt;
    if (method === 'eth_call') return wordOf(processor);
    if (method === 'eth_blockNumber') return '0x20';
    return { number: '0x0', timestamp: '0x1' };
  };
  return async (calls) => calls.map(({ method, params }) => ({ ok: true, result: answer(method, params) }));
}

const { asset, kind, capAtomic } = item;
const traced = { asset, processor, payer, nonce, kind, capAtomic, claimedAtSeconds: 2_000n, item };
const outcomeBy = async (logs: readonly Log[]): Promise<AuthorizationOutcome | undefined> =>
  (await traceAuthorizations(nodeWith(logs), [traced], 16n))[0];

test('a payment is settled by any transaction that was ever signed for it, though no search finds a log', async () => {
  const blind: JsonRpc = async (calls) => {
    const answers = await nodeWith([used, paid, settledFor(payer)])(calls);
    return answers.map((answer, index) => (calls[index]?.method === 'eth_getLogs' ? { ok: true, result: [] } : answer));
  };
  expect(await traceAuthorizations(blind, [traced], 16n)).toEqual([{ outcome: 'untold' }]);
  const signed = { ...traced, signedTransactionIds: [`0x${'cd'.repeat(32)}`, tx] };
  expect(await traceAuthorizations(blind, [signed], 16n)).toMatchObject([
    { outcome: 'settled', mined: { transactionId: tx } },
  ]);
  // The block of the transaction is not final yet.
  expect(await traceAuthorizations(blind, [signed], 15n)).toEqual([{ outcome: 'untold' }]);
});

test('a payment whose use lies in a receipt with its own settlement is settled, though the search for it found nothing', async () => {
  expect(await outcomeBy([used, paid, settledFor(payer)])).toMatchObject({
    outcome: 'settled',
    mined: { transactionId: tx, items: [{ paymentId: 'pay_1', outcome: 'settled' }] },
  });
});

test('a receipt that names its intent as settled and does not prove it is no end of it', async () => {
  await expect(outcomeBy([used, paid, settledFor(payer, 4n)])).rejects.toThrow('does not prove it');
});

test('a use without its money, beside a settlement of the intent by another payer, is burned', async () => {
  expect(await outcomeBy([used, settledFor(stranger)])).toEqual({ outcome: 'burned', transactionId: tx });
});
