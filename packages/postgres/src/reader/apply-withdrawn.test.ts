// The chain reader counts no transfer to a wallet whose payout is disabled or not soundly activated.
import type { CheckUsedPayout } from '@svc-pay/core';
import { used } from '@svc-pay/core/testing/contracts';
import { expect, test } from 'vitest';
import { createApplyHarness, type PostgresApplyHarness } from '../testing/apply-harness.ts';

type Verdict = Awaited<ReturnType<CheckUsedPayout>>;

async function harnessWith() {
  let verdict: Verdict = 'good';
  const harness = await createApplyHarness(async () => verdict);
  const become = (next: Verdict) => {
    verdict = next;
  };
  return { harness, become };
}

const disable = ({ pool }: PostgresApplyHarness) =>
  pool.query("update svc.payouts set status = 'disabled' where kind = 'direct'");
const intentIn = async ({ pool }: PostgresApplyHarness, id: string) =>
  (await pool.query<{ status: string }>('select status from svc.intents where id = $1', [id])).rows[0]?.status;

test.each(['disabled', 'not activated', 'of another account'])(
  'a bound nonce to a wallet that is %s pays nothing, and a claim by a stranger is held',
  async (kind) => {
    const { harness, become } = await harnessWith();
    const [landed, claimed] = [await harness.offer({ use: 'exclusive' }), await harness.offer({ use: 'exclusive' })];
    const claim = await harness.claim(claimed, { bound: true });
    const signed = await harness.signBound(landed);
    if (kind === 'disabled') await disable(harness);
    if (kind === 'not activated') become('refused');
    if (kind === 'of another account')
      await harness.pool.query("update svc.payouts set mode = 'live' where kind = 'direct'");
    expect((await used(harness, landed, signed)).answer).toEqual({
      outcome: 'unattributed',
      reason: 'payout_withdrawn',
    });
    expect((await used(harness, claimed, claim)).answer).toMatchObject({ outcome: 'held', reason: 'payout_withdrawn' });
    expect(await intentIn(harness, landed.intentId)).toBe('requires_payment');
    expect(await intentIn(harness, claimed.intentId)).toBe('processing');
  },
);

test('while the wallet cannot be asked the log waits', async () => {
  const { harness, become } = await harnessWith();
  const intent = await harness.offer({ use: 'exclusive' });
  const claim = await harness.claim(intent);
  become('unknown');
  const { log, answer } = await used(harness, intent, claim);
  expect(answer).toEqual({ outcome: 'waits', reason: 'payout' });
  expect(await harness.unapplied()).toBe(1);
  become('good');
  await harness.pool.query('delete from svc.read_logs');
  expect((await used(harness, intent, claim)).answer.outcome).toBe('completed');
  expect(log.nonce).toBe(claim.nonce);
});
