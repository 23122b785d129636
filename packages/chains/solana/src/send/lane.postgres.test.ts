// A Solana lane with real Postgres and a real virtual machine; the process may die at every call.
import type { KeyPairSigner } from '@solana/kit';
import { ChainUnavailable, laneRound, outcomesOf } from '@svc-pay/core';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openNode } from '../rpc/solana-node.ts';
import { signAsWallet } from '../testing/actors.ts';
import { alter } from '../testing/alter.ts';
import { AMOUNT, createSolanaLaneWorld, type QueuedTransfer, type SolanaLaneWorld } from '../testing/lane-world.ts';
import { settleThroughCrashes } from '../testing/settle-through-crashes.ts';
import type { PreparedTransfer } from '../transfer/transfer-terms.ts';
import { createLaneChain } from './create-lane-chain.ts';

async function world(): Promise<SolanaLaneWorld> {
  const { pool } = await createTestDatabase();
  const made = await createSolanaLaneWorld(pool);
  onTestFinished(() => made.chain.stop());
  return made;
}

/** Differences between the database and the money that moved. Empty when they agree. */
async function differences(lane: SolanaLaneWorld, queued: readonly QueuedTransfer[]): Promise<string[]> {
  const found: string[] = [];
  let moved = 0n;
  for (const { paymentId, payer } of queued) {
    const paid = AMOUNT - (await lane.balanceOf(payer));
    moved += paid;
    const { payment } = await lane.statusOf(paymentId);
    if ((payment === 'completed') !== (paid === AMOUNT)) found.push(`${paymentId} is ${payment}, and paid ${paid}`);
    const { rows } = await lane.pool.query<{ booked: string; native: string; told: number }>(
      `select coalesce(sum(amount) filter (where amount > 0 and asset <> 'native'), 0) as booked,
         coalesce(sum(amount) filter (where amount > 0 and asset = 'native'), 0) as native,
         (select count(*)::integer from svc.events e where e.payment_id = $1 and e.type = 'payment.completed') as told
       from svc.ledger_entries where payment_id = $1`,
      [paymentId],
    );
    const [row] = rows;
    const once = payment === 'completed' ? 1n : 0n;
    if (row?.booked !== (once * AMOUNT).toString()) found.push(`${paymentId} is ${payment} with ${row?.booked} booked`);
    if (row?.native !== (once * 10_600n).toString()) found.push(`${paymentId} cost ${row?.native} lamports`);
    if (BigInt(row?.told ?? 0) !== once) found.push(`${paymentId} was told completed ${row?.told} times`);
  }
  const arrived = [await lane.balanceOf(lane.actors.merchant), await lane.balanceOf(lane.actors.platform)];
  if (arrived[0]! + arrived[1]! !== moved) found.push(`${moved} left, ${arrived.join(' and ')} arrived`);
  return found;
}

test('a queued payment is co-signed, stored, sent, proven and booked, the relayer’s cost with it', async () => {
  const lane = await world();
  const queued = await lane.queue();
  await lane.settle();
  expect(await lane.statusOf(queued.paymentId)).toEqual({ payment: 'completed', intent: 'completed', code: null });
  expect(await differences(lane, [queued])).toEqual([]);
  expect(await lane.balanceOf(lane.actors.merchant)).toBe(990_000n);
  expect(await lane.balanceOf(lane.actors.platform)).toBe(10_000n);
});

test('a payment to a payout that was disabled meanwhile is not sent, and fails when it can no longer land', async () => {
  const lane = await world();
  const queued = await lane.queue();
  await lane.pool.query(`update svc.payouts set status = 'disabled' where network = $1`, [lane.lane.network]);
  const lease = await lane.takeLease();
  for (let round = 0; round < 3; round += 1) await laneRound(lane.deps, lease);
  expect((await lane.pool.query('select from svc.batches')).rowCount).toBe(0);
  expect(await lane.statusOf(queued.paymentId)).toMatchObject({ payment: 'pending' });
  lane.chain.ledger.advance(200n);
  await lane.settle();
  expect(await lane.statusOf(queued.paymentId)).toMatchObject({ payment: 'failed' });
  expect(await differences(lane, [queued])).toEqual([]);
});

test('the memo of a stock client is the one that was claimed, or the relayer does not sign', async () => {
  const lane = await world();
  const withMemo = (memo: string | null) => async (prepared: PreparedTransfer, payer: KeyPairSigner) => {
    const terms = { ...prepared.terms, memo };
    const budget = { units: 60_000, microLamportsPerUnit: 10_000n };
    return signAsWallet(await alter(prepared, { terms, budget }), payer);
  };
  const chosen = await lane.queue({ memo: 'order 7', sign: withMemo('order 7') });
  const none = await lane.queue({ memo: null, sign: withMemo(null) });
  const other = await lane.queue({ memo: 'order 7', sign: withMemo('order 8') });
  const unnamed = await lane.queue({ sign: withMemo('order 7') });
  await lane.settle();
  const statuses = await Promise.all([chosen, none, other, unnamed].map(({ paymentId }) => lane.statusOf(paymentId)));
  expect(statuses.map(({ payment }) => payment)).toEqual(['completed', 'completed', 'failed', 'failed']);
  expect(await differences(lane, [chosen, none, other, unnamed])).toEqual([]);
});

test('the bytes are in the database before the chain hears of them', async () => {
  const lane = await world();
  await lane.queue();
  const heard: number[] = [];
  const { broadcast } = lane.deps.chain;
  await lane.settle({
    ...lane.deps,
    chain: {
      ...lane.deps.chain,
      broadcast: async (raw) => {
        const { rowCount } = await lane.pool.query('select from svc.batch_transactions where raw_transaction = $1', [
          Buffer.from(raw),
        ]);
        heard.push(rowCount ?? 0);
        return broadcast(raw);
      },
    },
  });
  expect(new Set(heard)).toEqual(new Set([1]));
});

test('a large payment is called completed when it is finalized, and not before', async () => {
  const lane = await world();
  const { paymentId } = await lane.queue({ confirmations: 32 });
  const lease = await lane.takeLease();
  for (let slots = 0; slots < 32; slots += 1) {
    await laneRound(lane.deps, lease);
    if (slots > 0) expect((await lane.statusOf(paymentId)).payment).toBe('pending');
    chainAdvance(lane);
  }
  await laneRound(lane.deps, lease);
  expect((await lane.statusOf(paymentId)).payment).toBe('completed');
});

const chainAdvance = (lane: SolanaLaneWorld, slots = 1n) => lane.chain.ledger.advance(slots);

test('what goes in one round is stored, all of it, before the first of it is sent', async () => {
  const lane = await world();
  const queued: QueuedTransfer[] = [];
  for (let index = 0; index < 20; index += 1) queued.push(await lane.queue());
  const storedAtSend: (number | null)[] = [];
  const { broadcast } = lane.deps.chain;
  const watched = {
    ...lane.deps,
    chain: {
      ...lane.deps.chain,
      broadcast: async (raw: Uint8Array) => {
        const { rowCount } = await lane.pool.query('select from svc.batch_transactions');
        storedAtSend.push(rowCount);
        return broadcast(raw);
      },
    },
  };
  await laneRound(watched, await lane.takeLease());
  expect(storedAtSend).toEqual(queued.map(() => queued.length));
  const { rows } = await lane.pool.query<{ nonce: string }>('select nonce from svc.batches order by nonce');
  expect(rows.map(({ nonce }) => nonce)).toEqual(queued.map((_, index) => String(index)));
  await lane.settle();
  expect(await differences(lane, queued)).toEqual([]);
});

test('of one round what is refused ends, what nobody could play waits, and everybody else goes', async () => {
  const lane = await world();
  const queued: QueuedTransfer[] = [];
  for (let index = 0; index < 6; index += 1) queued.push(await lane.queue());
  const [poor, unplayed, ...others] = queued;
  await lane.chain.fundToken(poor!.payer, 1n);
  const { simulate } = lane.deps.chain;
  const silent: typeof simulate = async (items) => {
    if (items[0]?.paymentId === unplayed!.paymentId) throw new ChainUnavailable('no answer');
    return simulate(items);
  };
  const lease = await lane.takeLease();
  await laneRound({ ...lane.deps, chain: { ...lane.deps.chain, simulate: silent } }, lease);
  expect(await lane.statusOf(poor!.paymentId)).toMatchObject({ payment: 'failed', code: 'insufficient_funds' });
  expect((await lane.pool.query('select from svc.batches')).rowCount).toBe(others.length);
  await lane.settle();
  for (const { paymentId } of [unplayed!, ...others])
    expect((await lane.statusOf(paymentId)).payment).toBe('completed');
});

describe('the process dies at every call, before it took effect or after', () => {
  test.each([1, 2, 3])('seed %i: every payment lands once and the books agree', async (seed) => {
    const lane = await world();
    const queued: QueuedTransfer[] = [];
    for (let index = 0; index < 12; index += 1) queued.push(await lane.queue());
    const deps = { ...lane.deps, pace: { ...lane.deps.pace, maxInFlight: 5 } };
    const { resting, lives } = await settleThroughCrashes(lane, { deps, share: 0.08, seed });
    expect({ resting, lives }).toEqual({ resting: true, lives: expect.toSatisfy((many: number) => many > 5) });
    expect(await differences(lane, queued)).toEqual([]);
    for (const { paymentId } of queued) expect((await lane.statusOf(paymentId)).payment).toBe('completed');
  });
});

test('what never landed is failed only after its last height is final, and the intent can be paid again', async () => {
  const lane = await world();
  const { paymentId, prepared } = await lane.queue();
  const deaf = {
    ...lane.deps,
    chain: { ...lane.deps.chain, broadcast: async () => ({ outcome: 'unknown' as const }) },
  };
  const lease = await lane.takeLease();
  await laneRound(deaf, lease);
  const { ledger } = lane.chain;
  chainAdvance(lane, prepared.lifetime.lastValidBlockHeight + 32n - ledger.slotAt('processed'));
  expect(ledger.slotAt('finalized')).toBe(prepared.lifetime.lastValidBlockHeight);
  for (let round = 0; round < 5; round += 1) await laneRound(deaf, lease);
  expect((await lane.statusOf(paymentId)).payment).toBe('pending');
  chainAdvance(lane);
  for (let round = 0; round < 5; round += 1) await laneRound(deaf, lease);
  expect(await lane.statusOf(paymentId)).toEqual({
    payment: 'failed',
    intent: 'requires_payment',
    code: 'authorization_expired',
  });
});

test('a payment that landed unheard is found, however late, and never called failed', async () => {
  const lane = await world();
  const queued = await lane.queue();
  const lease = await lane.takeLease();
  await laneRound(lane.deps, lease);
  // The process is gone for an hour; the database has everything it knew.
  chainAdvance(lane, 9_000n);
  await lane.settle();
  expect(await differences(lane, [queued])).toEqual([]);
  expect((await lane.statusOf(queued.paymentId)).payment).toBe('completed');
});

test('every node denies a transaction past its last height and tells of it later: it is taken up again and completed', async () => {
  const lane = await world();
  const queued = await lane.queue();
  const next = await lane.queue();
  const lease = await lane.takeLease();
  for (let round = 0; round < 3; round += 1) await laneRound(lane.deps, lease);
  chainAdvance(lane, 250n);
  lane.front.faults.lie = ({ method }, truth) =>
    method === 'getSignatureStatuses'
      ? { context: { slot: 1n }, value: (truth as { value: readonly unknown[] }).value.map(() => null) }
      : undefined;
  let given = 0;
  await laneRound(
    // The node denies the transactions while the lane searches for them, and no longer when it simulates them.
    {
      ...lane.deps,
      chain: {
        ...lane.deps.chain,
        findExpired: async (batches) => {
          const gone = await lane.deps.chain.findExpired(batches);
          lane.front.faults.lie = undefined;
          given = gone.length;
          return gone;
        },
      },
    },
    lease,
  );
  expect(given).toBe(2);
  await lane.settle();
  expect((await lane.pool.query('select from svc.batch_transactions')).rowCount).toBe(2);
  expect(await differences(lane, [queued, next])).toEqual([]);
  for (const { paymentId } of [queued, next]) expect((await lane.statusOf(paymentId)).payment).toBe('completed');
});

test('a payer whose money is gone before we send is failed for it, and costs the relayer nothing', async () => {
  const lane = await world();
  const queued = await lane.queue();
  await lane.chain.fundToken(queued.payer, 1n);
  const before = lane.chain.ledger.account(lane.lane.relayer)?.lamports;
  await lane.settle();
  expect(await lane.statusOf(queued.paymentId)).toEqual({
    payment: 'failed',
    intent: 'requires_payment',
    code: 'insufficient_funds',
  });
  expect(lane.chain.ledger.account(lane.lane.relayer)?.lamports).toBe(before);
});

test('a transaction that slipped past the API is not signed by the relayer', async () => {
  const lane = await world();
  const { stranger } = lane.actors;
  await lane.chain.fundToken(stranger.address, 0n);
  const queued = await lane.queue({
    sign: async (prepared, payer) => {
      const legs = prepared.terms.legs.map((leg) => ({ ...leg, owner: stranger.address }));
      return signAsWallet(await alter(prepared, { terms: { ...prepared.terms, legs } }), payer);
    },
  });
  await lane.settle();
  expect(await lane.statusOf(queued.paymentId)).toMatchObject({ payment: 'failed', code: 'invalid_payment_header' });
  expect(await lane.balanceOf(stranger.address)).toBe(0n);
});

test('a lane that takes nothing new still carries what only it can carry', async () => {
  const lane = await world();
  const queued = await lane.queue();
  await lane.pool.query("update svc.relayers set status = 'draining'");
  await lane.settle();
  expect((await lane.statusOf(queued.paymentId)).payment).toBe('completed');
  expect(await differences(lane, [queued])).toEqual([]);
});

test('a relayer without SOL sends nothing, and its payments end by their age instead of waiting for ever', async () => {
  const lane = await world();
  const { paymentId } = await lane.queue();
  const { ledger } = lane.chain;
  ledger.setAccount(lane.lane.relayer, { ...ledger.account(lane.lane.relayer)!, lamports: 891_000n });
  const lease = await lane.takeLease();
  for (let round = 0; round < 3; round += 1) await laneRound(lane.deps, lease);
  expect((await lane.statusOf(paymentId)).payment).toBe('pending');
  expect((await lane.pool.query('select from svc.batches')).rowCount).toBe(0);
  // The chain is past the transaction's last valid height, and that height is final.
  chainAdvance(lane, 190n);
  for (let round = 0; round < 3; round += 1) await laneRound(lane.deps, lease);
  expect(await lane.statusOf(paymentId)).toMatchObject({ payment: 'failed', code: 'authorization_expired' });
  // The batch was stored so that it could be asked for by id, and was already expired then.
  expect((await lane.pool.query('select status from svc.batches')).rows).toEqual([{ status: 'replaced' }]);
  expect(ledger.account(lane.lane.relayer)?.lamports).toBe(891_000n);
});

test('what failed on chain is its payer’s loss at once, stays pending until that is final, and is failed then with its reason', async () => {
  const lane = await world();
  const queued = await lane.queue();
  const lease = await lane.takeLease();
  const { broadcast } = lane.deps.chain;
  const emptied = {
    ...lane.deps,
    chain: {
      ...lane.deps.chain,
      broadcast: async (raw: Uint8Array) => {
        await lane.chain.fundToken(queued.payer, 1n);
        return broadcast(raw);
      },
    },
  };
  await laneRound(emptied, lease);
  chainAdvance(lane);
  await laneRound(emptied, lease);
  const { createFinalityStore } = await import('@svc-pay/postgres/settlement-service');
  const finality = createFinalityStore(lane.pool);
  const ageing = (slot: bigint) => finality.loadAgeingBatches(lane.lane.network, slot, 10);
  expect((await lane.statusOf(queued.paymentId)).payment).toBe('pending');
  const losses = await lane.pool.query('select payment_id, payer, cause, amount from svc.gas_losses');
  expect(losses.rows).toEqual([
    { payment_id: queued.paymentId, payer: queued.payer, cause: 'insufficient_funds', amount: '10600' },
  ]);
  expect(await ageing(0n)).toEqual([]);
  chainAdvance(lane, 40n);
  const [batch] = await ageing(lane.chain.ledger.slotAt('finalized'));
  const pending = {
    id: batch!.id,
    nonce: 0n,
    status: 'broadcast' as const,
    sentAtMs: 0,
    transactions: [{ transactionId: batch!.transactionId, raw: new Uint8Array() }],
    items: batch!.openItems,
  };
  const [mined] = await lane.deps.chain.findMined([pending]);
  expect(mined).toMatchObject({ reverted: true, blockHash: batch!.blockHash, gasCostAtomic: 10_600n });
  await finality.recordFinal(batch!, outcomesOf(batch!, mined!), Date.now());
  expect(await lane.statusOf(queued.paymentId)).toEqual({
    payment: 'failed',
    intent: 'requires_payment',
    code: 'insufficient_funds',
  });
});

test('a payment that the chain has already, and no row knows of, is found in its history and recorded', async () => {
  const lane = await world();
  const queued = await lane.queue();
  const lease = await lane.takeLease();
  // Sent by a process whose database was then restored to an earlier time.
  const { sign, broadcast } = lane.deps.chain;
  const [item] = await lane.deps.store.loadQueue(lease, { index: 0, count: 1 }, 10);
  await broadcast((await sign([item!], 0n)).raw);
  chainAdvance(lane);
  await lane.settle();
  expect((await lane.statusOf(queued.paymentId)).payment).toBe('completed');
  expect(await differences(lane, [queued])).toEqual([]);
});

test('the same, found when its blockhash is long forgotten: completed, not expired', async () => {
  const lane = await world();
  const queued = await lane.queue();
  const lease = await lane.takeLease();
  const { sign, broadcast } = lane.deps.chain;
  const [item] = await lane.deps.store.loadQueue(lease, { index: 0, count: 1 }, 10);
  await broadcast((await sign([item!], 0n)).raw);
  chainAdvance(lane, 9_000n);
  await lane.settle();
  expect((await lane.statusOf(queued.paymentId)).payment).toBe('completed');
  expect(await differences(lane, [queued])).toEqual([]);
});

test('a payment is taken by the lane of the relayer it names, and by no other', async () => {
  const lane = await world();
  const { paymentId } = await lane.queue();
  const { createLaneStore, registerRelayer } = await import('@svc-pay/postgres/settlement-service');
  const other = { ...lane.lane, relayer: lane.actors.stranger.address };
  await registerRelayer(lane.pool, { ...other, mode: 'test', duty: 'settle' }, async () => 0n, Date.now());
  const store = createLaneStore(lane.pool, { clock: lane.deps.clock, gasCoinRate: () => undefined });
  for (const index of [0, 1]) {
    expect(await store.loadQueue(other, { index, count: 2 }, 10)).toEqual([]);
    const own = await store.loadQueue(lane.lane, { index, count: 2 }, 10);
    expect(own.map((item) => item.paymentId)).toEqual([paymentId]);
  }
});

test('of two nodes a liar can neither complete a payment nor end it', async () => {
  const lane = await world();
  const liar = await lane.chain.openNode();
  liar.faults.lie = ({ method }) => {
    if (method === 'getSignatureStatuses') return { context: { slot: 1n }, value: [null] };
    return method === 'getBlockHeight' ? 1_000_000n : undefined;
  };
  const nodes = [lane.node, openNode(liar.rpcUrl)];
  const deps = { ...lane.deps, chain: createLaneChain({ nodes, signer: lane.actors.relayer }) };
  const queued = await lane.queue();
  const lease = await lane.takeLease();
  for (let round = 0; round < 10; round += 1) {
    await laneRound(deps, lease);
    chainAdvance(lane, 50n);
  }
  expect((await lane.statusOf(queued.paymentId)).payment).toBe('pending');
  liar.faults.lie = undefined;
  await lane.settle(deps);
  expect(await differences(lane, [queued])).toEqual([]);
});
