// Payments that the chain has and a restored database lacks, with real Postgres and a real virtual machine.
import { getTransactionDecoder, getTransactionEncoder, partiallySignTransaction } from '@solana/kit';
import { copyTestDatabase, seedMerchant } from '@svc-pay/postgres/testing';
import { expect, test } from 'vitest';
import { prepareOnChain } from '../prepare/prepare-on-chain.ts';
import { refundTerms } from '../refund/refund-terms.ts';
import { openNode } from '../rpc/solana-node.ts';
import { drawActors, signAsWallet } from '../testing/actors.ts';
import { alter } from '../testing/alter.ts';
import { AMOUNT } from '../testing/lane-world.ts';
import { signPayment } from '../testing/pay.ts';
import { booksOf, Killed, networkOf, offer, once, restore, statusesOf, world } from '../testing/restore-world.ts';

test('what settled after the backup is in the books once: of known intents, of lost ones, and of what waited', async () => {
  const lane = await world();
  const known = await offer(lane);
  const waiting = await lane.queue({ intentId: await offer(lane) });
  const backup = await copyTestDatabase(lane.database);
  await lane.queue({ intentId: known });
  const lost = await lane.queue();
  await lane.settle();
  const report = networkOf(await restore(lane, backup));
  expect(report).toMatchObject({ transactions: 3, restoredTransactions: 3, completedPayments: 3, refused: [] });
  expect(report.adopted).toMatchObject([{ intentId: lost.intentId, settledAtomic: AMOUNT.toString() }]);
  expect(await booksOf(backup)).toEqual(once(3));
  const intents = await statusesOf(backup);
  expect(intents.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  // The stand-in has the id that the merchant knows: the memo names it.
  expect(intents.map(({ id }) => id)).toEqual(expect.arrayContaining([known, waiting.intentId, lost.intentId]));
  expect(networkOf(await restore(lane, backup))).toMatchObject({ restoredTransactions: 0, completedPayments: 0 });
  expect(await booksOf(backup)).toEqual(once(3));
});

test('a restore that dies anywhere is finished by the next one', async () => {
  const lane = await world();
  const backup = await copyTestDatabase(lane.database);
  for (let payments = 0; payments < 3; payments += 1) await lane.queue();
  await lane.settle();
  for (const dieBefore of [0, 1, 2]) await expect(restore(lane, backup, { dieBefore })).rejects.toThrow(Killed);
  networkOf(await restore(lane, backup));
  expect(await booksOf(backup)).toEqual(once(3));
});

test('a batch of the backup that landed since is recorded, and the chain is read from the newest final block on', async () => {
  const lane = await world();
  await lane.queue();
  await lane.settle();
  lane.chain.ledger.advance(40n);
  await lane.pool.query(`update svc.batches set status = 'finalized'`);
  await lane.queue();
  const { broadcast } = lane.deps.chain;
  // Stored and sent, and the backup is made before the process hears of the result.
  const lease = await lane.takeLease();
  const { laneRound } = await import('@svc-pay/core');
  await laneRound({ ...lane.deps, chain: { ...lane.deps.chain, broadcast } }, lease);
  const backup = await copyTestDatabase(lane.database);
  expect(await booksOf(backup)).toEqual(once(1));
  lane.chain.ledger.advance(500n);
  expect(networkOf(await restore(lane, backup, { fromBlock: -1n }))).toMatchObject({ completedPayments: 1 });
  expect(await booksOf(backup)).toEqual(once(2));
});

test('transactions of strangers prove nothing, whatever they name; failed ones and those that are not final neither', async () => {
  const lane = await world();
  const known = await offer(lane);
  const backup = await copyTestDatabase(lane.database);
  const { stranger, relayer } = lane.actors;
  lane.chain.fundSol(stranger.address, 1_000_000_000n);
  const payer = (await drawActors()).payer;
  await lane.chain.fundToken(payer.address, AMOUNT);
  const made = await prepareOnChain([lane.node], { ...lane.actors.terms(known), payer: payer.address });
  if (!made.ok) throw new Error(made.code);
  // The payer pays the merchant, with the intent's memo, and names our relayer; a stranger pays the fee.
  const forged = await alter(made.prepared, {
    feePayer: stranger.address,
    change: (instructions) =>
      instructions.map((one, index) =>
        index > 0 ? one : { ...one, accounts: [...one.accounts!, { address: relayer.address as never, role: 0 }] },
      ),
  });
  const signed = Buffer.from(await signAsWallet(forged, payer), 'base64');
  const both = await partiallySignTransaction([stranger.keyPair], getTransactionDecoder().decode(signed));
  lane.chain.ledger.execute(Uint8Array.from(getTransactionEncoder().encode(both)));
  expect(lane.chain.ledger.recordsOf(relayer.address)).toHaveLength(1);
  // Charged for, and nothing moved.
  const empty = await lane.queue();
  const { broadcast } = lane.deps.chain;
  const emptied = async (raw: Uint8Array) => {
    await lane.chain.fundToken(empty.payer, 1n);
    return broadcast(raw);
  };
  const { laneRound } = await import('@svc-pay/core');
  await laneRound({ ...lane.deps, chain: { ...lane.deps.chain, broadcast: emptied } }, await lane.takeLease());
  expect(lane.chain.ledger.recordsOf(relayer.address)).toHaveLength(2);
  expect(networkOf(await restore(lane, backup))).toMatchObject({ transactions: 0, adopted: [], refused: [] });
  expect(await booksOf(backup)).toEqual(once(0));
});

test('a node that hides transactions, tells of others or lies about bytes changes nothing beside an honest one', async () => {
  const lane = await world();
  const backup = await copyTestDatabase(lane.database);
  for (let payments = 0; payments < 2; payments += 1) await lane.queue();
  await lane.settle();
  const liar = await lane.chain.openNode();
  const [newest, other] = lane.chain.ledger.recordsOf(lane.lane.relayer);
  liar.faults.lie = ({ method, params }, truth) => {
    const config = params?.[1] as { encoding?: string } | undefined;
    if (method === 'getSignaturesForAddress') return (truth as readonly unknown[]).slice(1);
    if (method !== 'getTransaction' || config?.encoding !== 'base64' || params?.[0] !== newest!.transactionId)
      return undefined;
    return { slot: 1n, blockTime: null, transaction: [Buffer.from(other!.wire).toString('base64'), 'base64'] };
  };
  const nodes = [openNode(liar.rpcUrl), lane.node];
  expect(networkOf(await restore(lane, backup, { nodes }))).toMatchObject({ completedPayments: 2, refused: [] });
  expect(await booksOf(backup)).toEqual(once(2));
});

test('a payout that was set after the backup is named; once it is set again, its payments come in', async () => {
  const lane = await world();
  const backup = await copyTestDatabase(lane.database);
  await lane.queue();
  await lane.settle();
  const { rows } = await backup.pool.query(`delete from svc.payouts where network = $1 returning *`, [
    lane.lane.network,
  ]);
  const report = networkOf(await restore(lane, backup));
  expect(report.refused).toMatchObject([{ payoutId: null, reason: expect.stringContaining('set the payout again') }]);
  expect((await backup.pool.query('select from svc.batches')).rowCount).toBe(0);
  const columns = 'account_id, mode, network, payout_id, processor, merchant, fee_bps, status, created_at';
  await backup.pool.query(
    `insert into svc.payouts (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, now())`,
    ['account_id', 'mode', 'network', 'payout_id', 'processor', 'merchant', 'fee_bps', 'status'].map(
      (name) => rows[0][name],
    ),
  );
  expect(networkOf(await restore(lane, backup))).toMatchObject({ completedPayments: 1, refused: [] });
  expect(await booksOf(backup)).toEqual(once(1));
});

test('an intent’s money is not booked for another account with the same wallet', async () => {
  const lane = await world();
  const known = await offer(lane);
  const { accountId } = await seedMerchant(lane.pool);
  const backup = await copyTestDatabase(lane.database);
  await lane.queue({ intentId: known });
  await lane.settle();
  const { network } = lane.lane;
  const { rows } = await backup.pool.query('delete from svc.payouts where network = $1 returning *', [network]);
  const enter = (account: string, payoutId: bigint) =>
    backup.pool.query(
      `insert into svc.payouts (account_id, mode, network, payout_id, processor, merchant, fee_bps, status, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, now())`,
      [
        account,
        rows[0].mode,
        network,
        payoutId.toString(),
        rows[0].processor,
        rows[0].merchant,
        rows[0].fee_bps,
        rows[0].status,
      ],
    );
  await enter(accountId, 77n);
  const report = networkOf(await restore(lane, backup));
  expect(report.refused).toMatchObject([{ reason: expect.stringContaining('set the payout again') }]);
  expect(report.refused[0]?.reason).toContain(lane.caller.accountId);
  expect(await booksOf(backup)).toEqual(once(0));
  await enter(lane.caller.accountId, BigInt(rows[0].payout_id));
  const again = networkOf(await restore(lane, backup));
  expect(again).toMatchObject({ completedPayments: 1, refused: [], adopted: [] });
});

test('a relayer that began after the backup is read when it is named', async () => {
  const lane = await world();
  const backup = await copyTestDatabase(lane.database);
  await backup.pool.query('delete from svc.relayers');
  await lane.queue();
  await lane.settle();
  networkOf(await restore(lane, backup));
  expect(await booksOf(backup)).toEqual(once(0));
  networkOf(await restore(lane, backup, { lostRelayers: [lane.lane.relayer] }));
  expect(await booksOf(backup)).toEqual(once(1));
  expect((await backup.pool.query('select status from svc.relayers')).rows).toEqual([{ status: 'draining' }]);
});

test('a memo that names no intent leaves a stand-in of its own', async () => {
  const lane = await world();
  const backup = await copyTestDatabase(lane.database);
  const queued = await lane.queue({
    memo: 'a stock client',
    sign: async (prepared, key) =>
      signAsWallet(await alter(prepared, { terms: { ...prepared.terms, memo: 'a stock client' } }), key),
  });
  await lane.settle();
  const report = networkOf(await restore(lane, backup));
  expect(report.adopted).toHaveLength(1);
  expect(report.adopted[0]?.intentId).not.toBe(queued.intentId);
  expect(await booksOf(backup)).toEqual(once(1));
});

test('a refund that the relayer paid for is no payment, also where its payer is a merchant', async () => {
  const lane = await world();
  const backup = await copyTestDatabase(lane.database);
  const { payer: wallet, relayer, merchant, terms } = lane.actors;
  await lane.chain.fundToken(wallet.address, AMOUNT);
  const refund = refundTerms({
    ...terms(''),
    refundId: 're_1',
    nonce: `0x${'7'.repeat(64)}`,
    wallet: wallet.address,
    recipient: merchant,
    amountAtomic: AMOUNT,
  });
  const { wire } = await signPayment(lane.node, refund, { payer: wallet, relayer });
  lane.chain.ledger.execute(wire);
  expect(lane.chain.ledger.recordsOf(relayer.address)).toHaveLength(1);
  expect(networkOf(await restore(lane, backup))).toMatchObject({ restoredTransactions: 0, adopted: [], refused: [] });
  expect(await booksOf(backup)).toEqual(once(0));
});

test('nothing is read before every transaction on its way has landed or expired; an unknown start is refused', async () => {
  const lane = await world();
  const backup = await copyTestDatabase(lane.database);
  await lane.queue();
  await lane.settle();
  const before = lane.chain.ledger.slotAt('processed');
  expect(await restore(lane, backup, { fromBlock: -1n })).toMatchObject({ ok: false, code: 'from_block_unknown' });
  expect(lane.chain.ledger.slotAt('finalized')).toBeGreaterThan(before + 150n);
  expect((await backup.pool.query('select from svc.batches')).rowCount).toBe(0);
});
