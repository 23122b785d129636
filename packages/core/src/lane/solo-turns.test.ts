import { evmNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import type { LaneItem } from './lane.ts';
import { createSoloTurns, noteSoloTurn, PAYERS_LOOKED_AT, readSoloQueue, type SoloReads } from './solo-turns.ts';

type Waiting = { readonly account: string; readonly payer: string; readonly nextAtMs?: number };

/** A solo queue of one payment for each row. Each round sends the first payment that is read. */
function soloQueue(waiting: Waiting[]) {
  const turns = createSoloTurns()({ network: evmNetwork(1), relayer: '0x1' }, 'others');
  let reads = 0;
  const port: SoloReads = {
    accountsAfter: async (after, limit) => {
      reads += 1;
      const accounts = [...new Set(waiting.map(({ account }) => account))].toSorted();
      return accounts.filter((account) => account > after).slice(0, limit);
    },
    payersAfter: async (asked) =>
      asked.flatMap(({ account, lastPayer }) =>
        waiting
          .filter((row) => row.account === account && row.payer > lastPayer)
          .toSorted((one, other) => (one.payer < other.payer ? -1 : 1))
          .slice(0, PAYERS_LOOKED_AT)
          .map(({ payer, nextAtMs = null }) => ({ account, payer, nextAtMs })),
      ),
    firstItems: async (chosen) =>
      chosen.map(({ account, payer }) => ({ accountId: account, payer }) as unknown as LaneItem),
  };
  const round = async (nowMs = 0, limit = 8) => {
    const items = await readSoloQueue(port, turns, limit, nowMs);
    const [first] = items;
    if (first !== undefined) noteSoloTurn(turns, first);
    return first && `${first.accountId}/${first.payer}`;
  };
  const items = async (nowMs: number, limit: number) =>
    (await readSoloQueue(port, turns, limit, nowMs)).map(({ accountId, payer }) => `${accountId}/${payer}`);
  return { round, items, reads: () => reads };
}

test('accounts take turns, and payers take turns within their account', async () => {
  const { round } = soloQueue([
    { account: 'a', payer: '1' },
    { account: 'a', payer: '2' },
    { account: 'b', payer: '3' },
  ]);
  const sent: (string | undefined)[] = [];
  for (let turn = 0; turn < 6; turn += 1) sent.push(await round());
  expect(sent).toEqual(['a/1', 'b/3', 'a/2', 'b/3', 'a/1', 'b/3']);
});

test('a payer that must wait delays no other payer of its account', async () => {
  const { round } = soloQueue([
    { account: 'a', payer: '1', nextAtMs: 5_000 },
    { account: 'a', payer: '2' },
  ]);
  expect(await round(4_999)).toBe('a/2');
});

test('a payer is chosen again once its wait is over', async () => {
  const { round } = soloQueue([{ account: 'a', payer: '1', nextAtMs: 5_000 }]);
  expect([await round(4_000), await round(4_000)]).toEqual([undefined, undefined]);
  expect([await round(5_000), await round(5_000)]).toContain('a/1');
});

test('a payer behind more waiting payers than one turn reads is found in the next turn', async () => {
  const waiting = Array.from({ length: PAYERS_LOOKED_AT }, (_, index) => ({
    account: 'a',
    payer: `0${index.toString(16)}`,
    nextAtMs: 5_000,
  }));
  const { round } = soloQueue([...waiting, { account: 'a', payer: '9' }]);
  expect([await round(), await round()]).toEqual([undefined, 'a/9']);
});

test('an empty queue is not read again for a second', async () => {
  const { round, reads } = soloQueue([]);
  await round(0);
  await round(999);
  expect(reads()).toBe(1);
  await round(1_000);
  expect(reads()).toBe(2);
});

test('where few accounts wait, several payers of one are read per round, each once', async () => {
  const { items } = soloQueue(['1', '2', '3', '4', '5'].map((payer) => ({ account: 'a', payer })));
  expect(await items(0, 3)).toEqual(['a/1', 'a/2', 'a/3']);
});
