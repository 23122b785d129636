import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startFakeSettlement } from '../testing/start-fake-settlement.ts';
import { createSettlementClient } from './settlement-client.ts';

/** URL of a port that nobody listens on: it was free a moment ago. */
const NOBODY = await addressOfNobody();
const ORDER = {
  caller: { accountId: 'acct_1', mode: 'test', keyId: 'key_1' },
  intentId: 'pi_1',
  settledAtomic: 5n,
  requestId: 'req_1',
} as unknown as Parameters<ReturnType<typeof createSettlementClient>['beginUpto']>[0];

function clientOf(...urls: readonly string[]) {
  return createSettlementClient({ urls, internalKey: 'k', timeoutMs: 600, onProblem: () => {} });
}

test('of several settlements one that answers is enough, and is asked first from then on', async () => {
  const [silent, well] = [await startFakeSettlement(), await startFakeSettlement()];
  silent.answer = () => new Promise(() => {});
  well.answer = async () => ({ ok: true });
  const client = clientOf(NOBODY, silent.url, well.url);
  expect(await client.beginUpto(ORDER)).toEqual({ ok: true });
  expect(await client.beginUpto(ORDER)).toEqual({ ok: true });
  expect({ silent: silent.heard.length, well: well.heard.length }).toEqual({ silent: 1, well: 2 });
});

test('the call names the account, its mode and its key', async () => {
  const settlement = await startFakeSettlement();
  await clientOf(settlement.url).beginUpto(ORDER);
  const body = { accountId: 'acct_1', mode: 'test', paymentIntentId: 'pi_1', settledAmount: '5' };
  expect(settlement.heard).toEqual([{ authorization: 'Bearer k', actor: 'key:key_1', body }]);
});

test('a refusal is an answer: nobody else is asked', async () => {
  const [first, other] = [await startFakeSettlement(), await startFakeSettlement()];
  expect(await clientOf(first.url, other.url).beginUpto(ORDER)).toEqual({ ok: false, code: 'upto_not_confirmed' });
  expect(other.heard).toEqual([]);
});

test('when none answers it is said whether one of them may have begun', async () => {
  const hangingUp = await startFakeSettlement();
  hangingUp.answer = async () => undefined;
  const unavailable = { ok: false, code: 'service_unavailable' };
  expect(await clientOf(NOBODY, NOBODY).beginUpto(ORDER)).toEqual({ ...unavailable, delivered: false });
  expect(await clientOf(hangingUp.url, NOBODY).beginUpto(ORDER)).toEqual({ ...unavailable, delivered: true });
});

test('a settlement that reads a block is waited for, and no other reads it too', async () => {
  const [reading, other] = [await startFakeSettlement(), await startFakeSettlement()];
  reading.answer = async () => {
    await wait(1_000);
    return { outcome: 'applied', refusal: null };
  };
  const { notifyTransfer } = clientOf(reading.url, other.url);
  const order = { ...ORDER, block: { ledger: 'bkyz2-fmaaa-aaaaa-qaaaq-cai', index: 7n } };
  expect(await notifyTransfer(order)).toEqual({ outcome: 'applied' });
  expect(other.heard).toEqual([]);
});

async function addressOfNobody(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
