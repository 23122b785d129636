// Gas budgets on a real database: what counts against them, whom a spent one refuses, and what pending transactions hold.
import { type BudgetLimits, judgeSolo, judgeWallet, laneRound, type WindowAmounts } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { reverseBatch } from '../finality/reverse-reorged-batch.ts';
import { loadSettlement } from '../settlement/load-settlement.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { GAS_COST } from '../testing/fake-chain.ts';
import { createLaneWorld, FIRST_NONCE, type LaneWorld } from '../testing/lane-world.ts';
import { queuePayment } from '../testing/queue-payment.ts';
import { queueRefund } from '../testing/queue-refund.ts';
import { createBudgetStore } from './budget-store.ts';
import { loadWalletBudget } from './load-budgets.ts';
import { measureBudgets } from './measure-budgets.ts';

const times = (count: bigint): WindowAmounts => ({ hourAtomic: count * GAS_COST, dayAtomic: count * GAS_COST });
const limitsOf = (change: Partial<BudgetLimits> = {}): BudgetLimits => ({
  network: times(1_000n),
  account: times(1_000n),
  code: times(1_000n),
  payer: times(1_000n),
  refunds: times(1_000n),
  ...change,
});
const wallet = (index: number) => `0x${index.toString(16).padStart(40, 'c')}`;
const codeHash = (index: number) => `0x${index.toString(16).padStart(64, '0')}`;

async function world(limits: Partial<BudgetLimits> = {}) {
  const lane = await createLaneWorld((await createTestDatabase()).pool);
  const budgets = createBudgetStore(lane.pool);
  await budgets.recordLimits(lane.lane.network, limitsOf(limits));
  const burn = async (index: number, change: object = {}) => {
    const given = { byContract: true, payer: wallet(index), codeHash: codeHash(index), ...change };
    const { paymentId } = await queuePayment(lane.pool, lane.caller, given);
    lane.chain.revertAlone(paymentId, 'reverted_alone');
    return paymentId;
  };
  const pay = async (index: number) =>
    (await queuePayment(lane.pool, lane.caller, { byContract: true, payer: wallet(index), codeHash: codeHash(index) }))
      .paymentId;
  /** Room for 16 transactions of the solo queue. */
  const wide = { ...lane.deps, pace: { ...lane.deps.pace, maxInFlight: 64 } };
  return { ...lane, budgets, burn, pay, wide, settle: () => lane.settle(wide) };
}

const usesOf = async ({ pool }: Pick<LaneWorld, 'pool'>) => {
  const { rows } = await pool.query<{ name: string; lost: string }>(
    `select concat_ws(' ', scope, nullif(key, '')) as name, sum(lost - reversed)::text as lost
     from svc.gas_budget_uses group by 1`,
  );
  return Object.fromEntries(rows.map(({ name, lost }) => [name, BigInt(lost)]));
};
const codesOf = async ({ pool }: Pick<LaneWorld, 'pool'>) => {
  const { rows } = await pool.query<{ code: string; count: number }>(
    `select coalesce(failure_code, status) as code, count(*)::integer as count from svc.payments group by 1`,
  );
  return Object.fromEntries(rows.map(({ code, count }) => [code, count]));
};

describe('a loss', () => {
  test('of a contract wallet counts against its network, account, code and payer', async () => {
    const lane = await world();
    await lane.burn(1);
    await lane.settle();
    expect(await usesOf(lane)).toEqual({
      network: GAS_COST,
      [`account ${lane.caller.accountId}`]: GAS_COST,
      [`code ${codeHash(1)}`]: GAS_COST,
      [`payer ${wallet(1)}`]: GAS_COST,
    });
    const { rows } = await lane.pool.query("select encode(code_hash, 'hex') as hash from svc.gas_losses");
    expect(rows).toEqual([{ hash: codeHash(1).slice(2) }]);
  });

  test('to a stranger who used the authorization first counts against no payer and no account', async () => {
    const lane = await world();
    const payment = await lane.pay(1);
    lane.chain.spoil(payment, 'authorization_used', 'mined');
    await lane.settle();
    expect(await usesOf(lane)).toEqual({ network: GAS_COST });
  });

  test('that a reorganisation removes counts no more', async () => {
    const lane = await world();
    await lane.burn(1);
    const lease = await lane.takeLease();
    await laneRound(lane.deps, lease);
    lane.chain.mine();
    await laneRound(lane.deps, lease);
    const { rows } = await lane.pool.query('select id, block_hash from svc.batches');
    expect(await reverseBatch(lane.pool, rows[0].id, rows[0].block_hash, Date.now())).toBe(true);
    expect(Object.values(await usesOf(lane))).toEqual([0n, 0n, 0n, 0n]);
  });

  test('leaves what settled payments cost as it is, and both are measured', async () => {
    const lane = await world();
    await lane.burn(1);
    await lane.queue(3);
    await lane.settle();
    expect(await lane.budgets.measureGas(lane.lane.network)).toEqual({ paid: times(2n), lost: times(1n) });
    await lane.pool.query("update svc.gas_budget_uses set slot = slot - interval '2 hours'");
    await lane.pool.query("update svc.gas_paid set slot = slot - interval '2 days'");
    expect(await lane.budgets.measureGas(lane.lane.network)).toEqual({
      paid: { hourAtomic: 0n, dayAtomic: 0n },
      lost: { hourAtomic: 0n, dayAtomic: GAS_COST },
    });
    await lane.pool.query("update svc.gas_paid set slot = slot - interval '7 days'");
    await lane.budgets.forgetOld();
    expect((await lane.pool.query('select from svc.gas_paid')).rowCount).toBe(0);
    expect((await lane.pool.query('select from svc.gas_budget_uses')).rowCount).toBe(4);
  });
});

describe('forty wallets that burn gas, queued at once', () => {
  test('lose no more than the network’s budget, and the others fail by name before anything is sent', async () => {
    const lane = await world({ network: times(3n) });
    for (let index = 0; index < 40; index += 1) await lane.burn(index);
    const keyed = await lane.queue(10);
    await lane.settle();
    expect((await usesOf(lane))['network']).toBe(3n * GAS_COST);
    expect(await codesOf(lane)).toEqual({ gas_budget_spent: 37, pending: 3, completed: 10 });
    expect(keyed.every((payment) => lane.chain.settled.get(payment) === 1)).toBe(true);
  });

  test('have no more transactions pending than the budget pays for, before any of them is mined', async () => {
    const lane = await world({ network: times(3n) });
    for (let index = 0; index < 20; index += 1) await lane.burn(index);
    const lease = await lane.takeLease();
    for (let round = 0; round < 30; round += 1) await laneRound(lane.wide, lease);
    const { rows } = await lane.pool.query('select sum(at_risk)::text as sum from svc.batches');
    expect(rows).toEqual([{ sum: String(3n * GAS_COST) }]);
    expect(await codesOf(lane)).toEqual({ pending: 20 });
  });

  test('of one code lose no more than the code’s budget, of one account no more than the account’s', async () => {
    for (const scope of ['code', 'account'] as const) {
      const lane = await world({ [scope]: times(2n) });
      for (let index = 0; index < 20; index += 1) await lane.burn(index, { codeHash: codeHash(7) });
      await lane.settle();
      expect((await usesOf(lane))['network']).toBe(2n * GAS_COST);
    }
  });

  test('do not stop a wallet that has paid before; one that has not is refused', async () => {
    const lane = await world({ network: times(3n) });
    await lane.pay(1_000);
    await lane.settle();
    for (let index = 0; index < 40; index += 1) await lane.burn(index);
    await lane.settle();
    const [proven, fresh] = [await lane.pay(1_000), await lane.pay(1_001)];
    await lane.settle();
    expect([lane.chain.settled.get(proven), lane.chain.settled.get(fresh)]).toEqual([1, undefined]);
  });

  test('go one at a time where one transaction costs more than the budget', async () => {
    const lane = await world({ network: { hourAtomic: 1n, dayAtomic: 1n } });
    for (let index = 0; index < 5; index += 1) await lane.burn(index);
    await lane.settle();
    expect(lane.chain.minedTransactions()).toBe(1);
  });
});

describe('lanes of one network', () => {
  test('that read the budgets at the same moment: one sends, the other looks again', async () => {
    const lane = await world({ network: times(1n) });
    const other = await createLaneWorld(lane.pool, `0x${'6f'.repeat(20)}`);
    await lane.burn(1);
    await queuePayment(lane.pool, other.caller, { byContract: true, payer: wallet(2), codeHash: codeHash(2) });
    const waiting = await lane.store.loadSoloQueue(lane.lane, { index: 0, count: 1 }, 'others', 8);
    expect(waiting).toHaveLength(2);
    const both = [lane, other].map(async ({ store, chain, takeLease }, index) => {
      const lease = await takeLease();
      const items = waiting.slice(index, index + 1);
      const [budget] = await store.loadSoloBudgets(lease, items);
      expect(budget && judgeSolo(true, budget)).toBe('open');
      const signed = await chain.sign(items, FIRST_NONCE);
      const batch = { id: `bat_${index}`, nonce: FIRST_NONCE, signed, items, atRiskAtomic: GAS_COST };
      return () => store.storeBatches(lease, [batch], budget?.boundSends);
    });
    const sends = await Promise.all(both);
    const sent = await Promise.all(sends.map((send) => send()));
    expect(sent.toSorted((one, other) => Number(one) - Number(other))).toEqual([false, true]);
  });

  test('a lane whose budgets another lane used meanwhile reads them again before it sends', async () => {
    const lane = await world();
    await lane.burn(1);
    const sends: number[] = [];
    const loadSoloBudgets: typeof lane.store.loadSoloBudgets = async (...asked) => {
      const read = await lane.store.loadSoloBudgets(...asked);
      if (sends.length === 0) await lane.pool.query('update svc.gas_budgets set bound_sends = bound_sends + 1');
      return read;
    };
    const lease = await lane.takeLease();
    for (let round = 0; round < 2; round += 1) {
      await laneRound({ ...lane.wide, store: { ...lane.store, loadSoloBudgets } }, lease);
      sends.push((await lane.pool.query('select from svc.batches')).rowCount ?? 0);
    }
    expect(sends).toEqual([0, 1]);
  });

  test('leave all payments of a payer to one of them, which has one pending at a time', async () => {
    const lane = await world();
    for (let each = 0; each < 6; each += 1) await lane.pay(1);
    const sharing = [0, 1, 2].map((index) =>
      lane.store.loadSoloQueue({ ...lane.lane, relayer: `0x${index}` }, { index, count: 3 }, 'others', 8),
    );
    const counts = (await Promise.all(sharing)).map((items) => items.length);
    expect(counts.toSorted((one, other) => one - other)).toEqual([0, 0, 1]);
  });

  test('count a transaction whose fee was bumped at its new price', async () => {
    const lane = await world();
    await lane.burn(1);
    const lease = await lane.takeLease();
    await laneRound(lane.wide, lease);
    const [batch] = await lane.store.loadPendingBatches(lease);
    const bumped = { transactionId: '0xb0', raw: new Uint8Array([1]), worstCostAtomic: 3n * GAS_COST };
    expect(await lane.store.storeTransaction(lease, batch?.id ?? '', bumped)).toBe(true);
    const { rows } = await lane.pool.query('select at_risk::text as risk from svc.batches');
    expect(rows).toEqual([{ risk: String(3n * GAS_COST) }]);
  });
});

describe('the refunds of an account', () => {
  test('cost gas that counts for them alone; while their budget is spent they wait, and payments go on', async () => {
    const lane = await world({ refunds: times(2n) });
    const paid = await lane.queue(3);
    await lane.settle();
    await lane.pool.query("update svc.batches set status = 'finalized'");
    for (const paymentId of paid) await queueRefund(lane.pool, paymentId, Date.now());
    await lane.settle();
    const refunds = async () => {
      const { rows } = await lane.pool.query<{ shown: string }>(
        "select concat_ws(' ', status, refusal) as shown from svc.refunds order by number",
      );
      return rows.map(({ shown }) => shown);
    };
    expect(await refunds()).toEqual(['sent', 'sent', 'queued gas_budget_spent']);
    expect(await usesOf(lane)).toEqual({ [`refunds ${lane.caller.accountId}`]: 2n * GAS_COST });
    const [measured] = await measureBudgets(lane.pool);
    expect(measured?.spent).toContainEqual({ scope: 'refunds', count: 1 });
    await lane.pay(1);
    await lane.settle();
    expect(await codesOf(lane)).toEqual({ completed: 4 });
    // It goes on when the window has passed.
    await lane.pool.query("update svc.gas_budget_uses set slot = slot - interval '2 days'");
    await lane.pool.query("update svc.refunds set retry_at = now() - interval '1 second' where status = 'queued'");
    await lane.settle();
    expect(await refunds()).toEqual(['sent', 'sent', 'sent']);
  });
});

describe('for settle', () => {
  test('a payer that lost its budget is known before any chain is asked; all others read nothing', async () => {
    const lane = await world({ payer: times(1n) });
    await lane.burn(1);
    await lane.settle();
    const { intentId } = await queuePayment(lane.pool, lane.caller);
    const read = async (from: string) => {
      const authorization = { from, to: wallet(9), value: '1', validAfter: '0', validBefore: '1', nonce: codeHash(1) };
      return loadSettlement(lane.pool, lane.caller, intentId, { ...authorization, network: lane.lane.network });
    };
    expect((await read(wallet(1).toUpperCase().replace('0X', '0x')))?.payerBudget).toEqual({
      lost: times(1n),
      limit: times(1n),
    });
    expect(await read(wallet(2))).not.toHaveProperty('payerBudget');
  });

  test('a contract wallet is judged by the losses of its code, account and network, and by whether it paid', async () => {
    const lane = await world({ code: times(1n) });
    await lane.burn(1);
    await lane.pay(2);
    await lane.settle();
    const verdictOf = async (payer: string, code: string) => {
      const party = { accountId: lane.caller.accountId, payer, codeHash: code };
      return judgeWallet(true, await loadWalletBudget(lane.pool, lane.lane.network, party));
    };
    expect(await verdictOf(wallet(3), codeHash(1))).toBe('spent');
    expect(await verdictOf(wallet(3), codeHash(3))).toBe('open');
    expect(await verdictOf(wallet(2), codeHash(1))).toBe('open');
  });

  test('a payer by key leaves no row among the wallets that paid', async () => {
    const lane = await world();
    await lane.queue(3);
    await lane.settle();
    expect((await lane.pool.query('select from svc.proven_wallets')).rowCount).toBe(0);
  });
});

test('spent budgets are counted for the monitor, by what they belong to', async () => {
  const lane = await world({ network: times(1n) });
  await lane.burn(1);
  await lane.settle();
  expect(await measureBudgets(lane.pool)).toEqual([
    {
      network: lane.lane.network,
      limit: times(1n),
      lost: times(1n),
      spent: [
        { scope: 'network', count: 1 },
        { scope: 'account', count: 0 },
        { scope: 'code', count: 0 },
        { scope: 'refunds', count: 0 },
      ],
    },
  ]);
});
