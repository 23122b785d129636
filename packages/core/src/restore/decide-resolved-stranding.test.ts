import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import type { SettlementStatus } from '../settlement/settlement-transitions.ts';
import { carriedPayment } from '../testing/carried-payment.ts';
import { decideResolvedStranding } from './decide-resolved-stranding.ts';
import type { IntentOwner, StoredSettlement } from './decide-restored-payment.ts';
import type { ResolvedStranding } from './on-chain-transaction.ts';

const [accountId, intentId] = [newId('account', 0), newId('paymentIntent', 0)];
const owner: IntentOwner = { accountId, mode: 'test', intentId, standIn: false };
const carried = carriedPayment();
const settle: ResolvedStranding = { action: 'settle', carried };
const back: ResolvedStranding = { action: 'return', carried };

const settlementOf = (status: SettlementStatus, settledAtomic = carried.settledAtomic): StoredSettlement => ({
  accountId,
  mode: 'test',
  paymentId: newId('payment', 0),
  status,
  batchId: null,
  settledAtomic,
  stranded: true,
});
const decide = (resolved: ResolvedStranding, settlement: StoredSettlement | undefined, recorded = false) =>
  decideResolvedStranding(resolved, { owner, claim: { accountId, intentId, settlement } }, { recorded });

test('a payment that is open uses the stranded money; one that was lost is written', () => {
  for (const status of ['queued', 'batched', 'held'] as const) {
    expect(decide(settle, settlementOf(status))).toMatchObject({ step: 'use', from: status });
    expect(decide(back, settlementOf(status))).toMatchObject({ step: 'use', from: status });
  }
  expect(decide(settle, undefined)).toEqual({ step: 'write', owner });
  const nothing = { owner: undefined, claim: undefined };
  expect(decideResolvedStranding(settle, nothing, { recorded: false })).toEqual({ step: 'write', owner: undefined });
});

test('a return leaves a failed payment as it is, and is refused where nobody knows what the money was for', () => {
  expect(decide(back, settlementOf('failed'))).toMatchObject({ step: 'use', from: undefined });
  expect(decide(back, undefined)).toMatchObject({ step: 'refuse' });
});

test.each<[string, ResolvedStranding, StoredSettlement]>([
  ['a settle of a failed payment', settle, settlementOf('failed')],
  ['a settle of another amount', settle, settlementOf('held', 1n)],
  ['a settle of what is completed', settle, settlementOf('completed')],
  ['a return of what is completed', back, settlementOf('completed')],
])('%s contradicts the books', (_, resolved, settlement) => {
  expect(decide(resolved, settlement)).toMatchObject({ step: 'refuse' });
  expect(decide(resolved, settlement, true)).toEqual({ step: 'known' });
});

test('an authorization that another intent claimed is refused', () => {
  for (const settlement of [undefined, settlementOf('held')]) {
    const claim = { accountId, intentId: 'pi_other', settlement };
    expect(decideResolvedStranding(settle, { owner, claim }, { recorded: false })).toMatchObject({ step: 'refuse' });
  }
  // The call of a return names no intent: the claim decides.
  const returned = { owner: undefined, claim: { accountId, intentId, settlement: settlementOf('held') } };
  expect(decideResolvedStranding(back, returned, { recorded: false })).toMatchObject({ step: 'use' });
});
