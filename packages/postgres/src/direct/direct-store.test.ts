import { FIRST_AUTHORIZATION, type OpenDirect } from '@svc-pay/core';
import { usedLog } from '@svc-pay/core/testing/contracts';
import { describe, expect, test } from 'vitest';
import { createStrandedStore } from '../stranded/stranded-store.ts';
import { createApplyHarness, type PostgresApplyHarness } from '../testing/apply-harness.ts';

const FAR = 2n ** 62n;
const READ = { state: 'over', readUntilSeconds: 5_000_000_000n } as const;

const openIn = ({ direct, network }: PostgresApplyHarness) =>
  direct.loadOpenDirect(network, FIRST_AUTHORIZATION, FAR, 100);
const refusedIn = ({ direct, network }: PostgresApplyHarness) =>
  direct.loadOpenRefused(network, FIRST_AUTHORIZATION, FAR, 100);

async function claimed(harness: PostgresApplyHarness, used = false) {
  const intent = await harness.offer({ use: 'exclusive' });
  const claim = await harness.claim(intent, { bound: used, used });
  const row = (await openIn(harness)).find(({ paymentId }) => paymentId === claim.paymentId);
  if (row === undefined) throw new Error('not open');
  return { intent, claim, row };
}

const statusOf = async (harness: PostgresApplyHarness, id: string | null) =>
  (await harness.read()).payments.find((one) => one.id === id);

describe('open direct authorizations', () => {
  test('have a watcher of their own: the watchers of processors see none of them', async () => {
    const harness = await createApplyHarness();
    const { pool, network } = harness;
    const { row } = await claimed(harness, true);
    await harness.claim(await harness.offer());
    const stranded = createStrandedStore(pool);
    const others = await stranded.loadOpenAuthorizations(network, FIRST_AUTHORIZATION, FAR, 100);
    expect(others).toHaveLength(1);
    expect(others.map(({ paymentId }) => paymentId)).not.toContain(row.paymentId);
    expect(await stranded.loadHeldPayments(network, 0n, 100)).toEqual([]);
    expect(await openIn(harness)).toMatchObject([
      { settlement: 'held', bound: true, unusedAtBlock: 100n, refused: false },
    ]);
  });

  test('tell whether a log about them waits, by token, payer and nonce', async () => {
    const harness = await createApplyHarness();
    const { intent, claim } = await claimed(harness);
    const log = usedLog(intent, claim);
    await harness.putLog({ ...log, payer: `0x${'99'.repeat(20)}` });
    const [other] = await openIn(harness);
    expect(other?.hasUnappliedLog).toBe(false);
    await harness.putLog({ ...log, position: { ...log.position, logIndex: 1 } });
    expect((await openIn(harness))[0]?.hasUnappliedLog).toBe(true);
  });

  test('are paged in the order of expiry, refused ones once each, until they are closed', async () => {
    const harness = await createApplyHarness();
    const { direct, network, nowMs } = harness;
    const intents = [await harness.offer({ use: 'exclusive' }), await harness.offer({ use: 'exclusive' })] as const;
    const signed = await harness.refuse(intents[0]);
    await harness.refuse(intents[1], { signed });
    for (let index = 0; index < 4; index += 1) await harness.refuse(intents[0]);
    const all = await refusedIn(harness);
    expect(all).toHaveLength(5);
    // One that was refused for two intents makes no page shorter.
    for (const limit of [1, 2, 3, 4, 5])
      expect(await direct.loadOpenRefused(network, FIRST_AUTHORIZATION, FAR, limit)).toHaveLength(limit);
    const paged: OpenDirect[] = [];
    for (let page = await direct.loadOpenRefused(network, FIRST_AUTHORIZATION, FAR, 2); page.length > 0; ) {
      paged.push(...page);
      page = await direct.loadOpenRefused(network, paged.at(-1) ?? FIRST_AUTHORIZATION, FAR, 2);
    }
    expect(paged.map(({ nonce }) => nonce)).toEqual(all.map(({ nonce }) => nonce));
    await direct.closeRefused([signed.claimKey], nowMs());
    expect(await refusedIn(harness)).toHaveLength(4);
  });
});

test('a held payment without a refusal is queued again; one that the chain refused, or the merchant decides on, is not', async () => {
  const harness = await createApplyHarness();
  const { pool, direct, nowMs } = harness;
  const { row } = await claimed(harness, true);
  expect(await direct.queueAgain(row, nowMs())).toBe(true);
  expect(await statusOf(harness, row.paymentId)).toMatchObject({ settlement: 'queued', status: 'pending' });
  expect(await direct.queueAgain(row, nowMs())).toBe(false);
  for (const [column, value] of [
    ['refusal', "'insufficient_funds'"],
    ['held_for_merchant', 'true'],
  ]) {
    const { row: other } = await claimed(harness, true);
    await pool.query(`update svc.settlements set ${column} = ${value} where payment_id = $1`, [other.paymentId]);
    expect(await direct.queueAgain(other, nowMs())).toBe(false);
  }
});

describe('a direct payment that nobody can make any more', () => {
  test('fails with why the chain refused it last, and its intent is payable again', async () => {
    const harness = await createApplyHarness();
    const { direct, settling, lane, nowMs } = harness;
    const { row } = await claimed(harness);
    const items = await settling.loadQueue(lane, { index: 0, count: 1 }, 9);
    const lease = { ...lane, epoch: await settling.takeOver(lane) };
    await settling.recordUnsent(
      lease,
      items.map((item) => ({ item, outcome: 'insufficient_funds' as const })),
    );
    expect(await direct.failExpired(row, READ, nowMs())).toBe('insufficient_funds');
    expect(await statusOf(harness, row.paymentId)).toMatchObject({
      status: 'failed',
      intentStatus: 'requires_payment',
    });
    expect(await openIn(harness)).toEqual([]);
    expect(await direct.failExpired(row, READ, nowMs())).toBeUndefined();
  });

  test('does not fail while a log about it waits, a lane has it, or it is not read to its end', async () => {
    const harness = await createApplyHarness();
    const { direct, settling, lane, nowMs } = harness;
    const { row, intent, claim } = await claimed(harness);
    expect(await direct.failExpired(row, { ...READ, readUntilSeconds: 5n }, nowMs())).toBeUndefined();
    expect(await direct.failExpired(row, { ...READ, state: 'used' }, nowMs())).toBeUndefined();
    const items = await settling.loadQueue(lane, { index: 0, count: 1 }, 9);
    const lease = { ...lane, epoch: await settling.takeOver(lane) };
    const signed = { transactionId: '0xsent', raw: Buffer.from('sent') };
    await settling.storeBatches(lease, [{ id: 'bat_one', nonce: 7n, signed, items }]);
    expect(await direct.failExpired(row, READ, nowMs())).toBeUndefined();
    await settling.recordReplaced(lease, 'bat_one');
    await harness.putLog(usedLog(intent, claim));
    expect(await direct.failExpired(row, READ, nowMs())).toBeUndefined();
    expect(await statusOf(harness, row.paymentId)).toMatchObject({ status: 'pending' });
  });

  test('fails as used when its bound nonce was used before the claim and paid nothing', async () => {
    const harness = await createApplyHarness();
    const { row } = await claimed(harness, true);
    expect(await harness.direct.failUsed(row, harness.nowMs())).toBe(true);
    expect(await statusOf(harness, row.paymentId)).toMatchObject({ status: 'failed', settlement: 'failed' });
    const queued = await claimed(harness);
    expect(await harness.direct.failUsed(queued.row, harness.nowMs())).toBe(false);
  });
});
