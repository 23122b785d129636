// What the claim of a group does for each payment, by the plans of the API.
import { randomBytes } from 'node:crypto';
import { claimKey, type PaymentClaim } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { openDatabase } from '../database/open-database.ts';
import { loadAcceptances } from '../intent/load-acceptances.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createTestIntent } from '../testing/create-test-intent.ts';
import { seedMerchant } from '../testing/seed-merchant.ts';
import { claimPayments } from './claim-payment.ts';

type Plan = {
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Relation Name'?: string;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Plan[];
};
type Asked = { readonly text: string; readonly values: readonly unknown[] };

const PAYMENTS = 32;
const { pool, url } = await createTestDatabase();

async function claimsOf(count: number): Promise<readonly PaymentClaim[]> {
  const caller = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  const claims: PaymentClaim[] = [];
  for (let each = 0; each < count; each += 1) {
    const intentId = await createTestIntent(pool, caller);
    const [acceptance] = await loadAcceptances(pool, caller, intentId);
    if (acceptance === undefined) throw new Error('nothing was offered');
    const { network, token, payTo, amount } = acceptance;
    const payer = `0x${randomBytes(20).toString('hex')}`;
    const nonce = `0x${randomBytes(32).toString('hex')}`;
    const nowMs = Date.now();
    claims.push({
      caller,
      intentId,
      paymentId: newId('payment', nowMs),
      claimKey: claimKey({ network, asset: token.address, payer, uniquePart: nonce }),
      kind: 'transfer_with_authorization',
      byContract: false,
      acceptance,
      authorization: {
        from: payer,
        to: payTo,
        value: amount.toString(),
        validAfter: '1',
        validBefore: '4000000000',
        nonce,
      },
      signature: `0x${'1b'.repeat(65)}`,
      unsettledLimit: 10n ** 12n,
      nowMs,
    });
  }
  return claims;
}

const flat = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)];

test('the claim of a group compares no payment with every other, and looks at no month to come', async () => {
  const claims = await claimsOf(PAYMENTS);
  const database = openDatabase(url, {
    applicationName: 'svc-test-claims',
    maxConnections: 1,
    statementTimeoutMs: 10_000,
    byKeys: true,
    onConnectionLost: () => {},
  });
  try {
    let claim: Asked | undefined;
    const heard = {
      query: async (asked: Asked) => {
        claim ??= asked;
        return { rows: claims.map(({ paymentId }) => ({ payment_id: paymentId })) };
      },
    };
    await claimPayments(heard as unknown as pg.Pool, claims);
    if (claim === undefined) throw new Error('nothing was asked');
    const { rows } = await database.pool.query({
      text: `explain (analyze, format json) ${claim.text}`,
      values: [...claim.values],
    });
    const nodes = flat(rows[0]['QUERY PLAN'][0].Plan).filter((plan) => plan['Actual Loops'] > 0);
    const removed = nodes.reduce((sum, plan) => sum + (plan['Rows Removed by Join Filter'] ?? 0), 0);
    expect(removed).toBe(0);
    const months = nodes.flatMap((plan) => plan['Relation Name'] ?? []).filter((name) => /^payments_\d/.test(name));
    const latest = new Date(Date.now() + 86_400_000).toISOString().slice(0, 7).replace('-', '_');
    expect(months.filter((name) => name > `payments_${latest}`)).toEqual([]);
    expect(months.length).toBeGreaterThan(0);
  } finally {
    await database.close();
  }
  // Each payment has the number of its own settlement.
  const { rows } = await pool.query<{ same: boolean }>(
    `select p.settlement_number = s.number as same from svc.payments p
     join svc.settlements s on s.account_id = p.account_id and s.mode = p.mode and s.payment_id = p.id`,
  );
  expect(rows).toEqual(Array.from({ length: PAYMENTS }, () => ({ same: true })));
});
