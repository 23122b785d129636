// What only the database knows: which sources and which logs are this installation's.
import { type AuthorizationLog, claimKey, READER_LIMITS } from '@svc-pay/core';
import { usedLog } from '@svc-pay/core/testing/contracts';
import { expect, test } from 'vitest';
import { createApplyHarness } from '../testing/apply-harness.ts';
import { createReaderHarness } from '../testing/reader-harness.ts';
import { insertRow, NOW } from '../testing/sample-rows.ts';
import { measureReader } from './measure-reader.ts';
import { createReaderStore } from './reader-store.ts';

const harness = await createReaderHarness();
const { pool, reader, network } = harness;
const TOKEN = `0x${'7c'.repeat(20)}`;
const PROCESSOR = `0x${'2a'.repeat(20)}`;
const PAYER = `0x${'b1'.repeat(20)}`;
const WALLET = `0x${'a1'.repeat(20)}`;

let index = 0;
const used = (nonce: string, payer = PAYER): AuthorizationLog => ({
  event: 'authorization_used',
  address: TOKEN,
  payer,
  nonce,
  position: { blockNumber: 7n, blockHash: '0xb7', transactionId: '0x07', logIndex: index++ },
});
const keyOf = (nonce: string) => claimKey({ network, asset: TOKEN, payer: PAYER, uniquePart: nonce });
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;

test('a nonce is ours if it is bound to an offer of ours, not if it only has the code of an intent', async () => {
  const world = await createApplyHarness();
  const store = createReaderStore(world.pool);
  const intents = [await world.offer({ use: 'exclusive' }), await world.offer({ use: 'shared' })] as const;
  const [one, two] = [await world.signBound(intents[0]), await world.signBound(intents[1])];
  const log = (nonce: string, payer = PAYER) => usedLog(intents[0], { nonce, payer });
  const ours = [log(one.nonce), log(one.nonce, WALLET), log(two.nonce)];
  const foreign = [
    log(`${one.nonce.slice(0, -4)}beef`),
    log(`${one.nonce.slice(0, 34)}${two.nonce.slice(34)}`),
    { ...log(one.nonce), address: TOKEN },
    log(word(41)),
    log(`0x737663646972${'f'.repeat(52)}`),
  ];
  expect(await store.selectOwn(world.network, [...foreign, ...ours])).toEqual(ours);
});

test('an offer that cannot be read holds up no other log: those with the code of its intent are kept', async () => {
  const world = await createApplyHarness();
  const intent = await world.offer({ use: 'exclusive' });
  const log = usedLog(intent, await world.signBound(intent));
  await world.pool.query("update svc.acceptances set token_shortcode = 'gone' where intent_id = $1", [intent.intentId]);
  expect(await createReaderStore(world.pool).selectOwn(world.network, [log])).toEqual([log]);
  // A database that fails is no such offer: the run fails, and reads the blocks again.
  await world.pool.query('alter table svc.acceptances rename to renamed');
  await expect(createReaderStore(world.pool).selectOwn(world.network, [log])).rejects.toThrow(/svc.acceptances/);
});

test('a refused authorization is ours until it is closed', async () => {
  const refuse = (nonce: string, closedAt: Date | null) =>
    pool.query(
      `insert into svc.refused_authorizations (
         account_id, mode, intent_id, claim_key, network, asset, payer, recipient, payout_id, position, amount,
         valid_before, nonce, bound, unused_at_block, code, funded, closed_at, created_at
       ) values ('acct_a', 'test', 'pi_x', $1, $2, $3, $4, $5, 1, 0, 5, 9, $6, false, 1, 'insufficient_funds', false, $7, $8)`,
      [keyOf(nonce), network, TOKEN, PAYER, WALLET, Buffer.from(nonce.slice(2), 'hex'), closedAt, NOW],
    );
  await refuse(word(1_001), null);
  await refuse(word(1_002), NOW);
  const [open, closed] = [used(word(1_001)), used(word(1_002))];
  expect(await reader.selectOwn(network, [open, closed])).toEqual([open]);
});

test('an authorization that was claimed for a processor is none of a direct payment', async () => {
  const { payer, nonce } = await harness.claim(TOKEN);
  await pool.query('update svc.authorizations set direct = false, unused_at_block = null where payer = $1', [payer]);
  expect(await reader.selectOwn(network, [used(nonce, payer)])).toEqual([]);
});

test('a processor without a cursor is read from its first payout or the first batch, one with a cursor from there', async () => {
  await harness.offer({ address: PROCESSOR, kind: 'processor' });
  await harness.offer({ address: TOKEN, kind: 'token' });
  const sources = async () =>
    (await reader.loadSources(network)).toSorted((one, other) => (one.address < other.address ? -1 : 1));
  const later = { processor: PROCESSOR, payout_id: 900, created_at: new Date(NOW.getTime() + 5_000) };
  await insertRow(pool, 'payouts', later);
  const token = { address: TOKEN, kind: 'token', firstBlock: undefined, offeredAtSeconds: undefined };
  const processor = { address: PROCESSOR, kind: 'processor' };
  const offeredAtSeconds = BigInt(Math.floor(NOW.getTime() / 1_000));
  expect(await sources()).toEqual([{ ...processor, firstBlock: undefined, offeredAtSeconds }, token]);
  await insertRow(pool, 'relayers');
  for (const [number, nonce] of [
    [90, 1],
    [77, 2],
  ] as const) {
    await insertRow(pool, 'batches', { id: `bat_${number}`, nonce, status: 'mined', block_number: number });
  }
  expect(await sources()).toEqual([{ ...processor, firstBlock: 77n, offeredAtSeconds }, token]);
  const at = { number: 80n, hash: '0x80', timeSeconds: 1_000n };
  await reader.startCursors(network, [{ address: PROCESSOR, kind: 'processor', at }], harness.nowMs());
  expect(await sources()).toEqual([{ ...processor, firstBlock: undefined, offeredAtSeconds: undefined }, token]);
});

test('many payouts of one processor are one source, and wallets are none', async () => {
  for (let more = 0; more < 5; more += 1) await harness.offer({ address: PROCESSOR, kind: 'processor' });
  const addresses = (await reader.loadSources(network)).map(({ address }) => address);
  expect(addresses.toSorted()).toEqual([PROCESSOR, TOKEN]);
});

test('the measures are those of the source that is furthest behind, and of the oldest log', async () => {
  const nowMs = harness.nowMs();
  const nowSeconds = BigInt(nowMs) / 1_000n;
  const other = evmCursor(`0x${'2b'.repeat(20)}`, 79n, nowSeconds - 30n);
  await reader.startCursors(network, [other], nowMs);
  const log = used(word(9));
  await reader.passBlocks({
    network,
    sources: [other],
    from: other.at,
    to: { ...other.at, number: 79n, hash: '0x79b' },
    logs: [log],
    nowMs: nowMs - 5_000,
  });
  await pool.query('update svc.reader_cursors set block_time = $1 where block_number = 80', [
    (nowSeconds - 90n).toString(),
  ]);
  expect(await measureReader(pool, nowMs)).toEqual({
    cursors: [{ network, kind: 'processor', block: 79, lagSeconds: 90 }],
    unapplied: [{ network, count: 1, oldestSeconds: 5, late: 0 }],
    references: [],
    tokenLedgers: [],
  });
  await reader.noteWaiting(network, [log], nowMs);
  const lateAt = async (ms: number) => (await measureReader(pool, nowMs + ms)).unapplied[0]?.late;
  expect([await lateAt(READER_LIMITS.laneMs - 1), await lateAt(READER_LIMITS.laneMs)]).toEqual([0, 1]);
});

function evmCursor(address: string, number: bigint, timeSeconds: bigint) {
  return { address, kind: 'processor' as const, at: { number, hash: `0x${number}`, timeSeconds } };
}
