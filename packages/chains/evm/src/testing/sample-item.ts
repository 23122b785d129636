import type { LaneItem } from '@svc-pay/core';

const SIGNATURE = `0x${'11'.repeat(32)}${'22'.repeat(32)}1b`;

/** A queued payment for the rules that choose and meter payments: no chain would take its signature. */
export function sampleItem(count: number, change: Partial<LaneItem> = {}): LaneItem {
  return {
    accountId: 'acct_1' as LaneItem['accountId'],
    mode: 'test',
    paymentId: `pay_${count}` as LaneItem['paymentId'],
    intentId: `pi_${count}` as LaneItem['intentId'],
    intentCode: BigInt(count),
    number: BigInt(count),
    asset: '0xa0',
    processor: '0xb0',
    kind: 'transfer_with_authorization',
    byContract: false,
    payer: `0xc${count}`,
    capAtomic: 10n,
    settledAtomic: 10n,
    validAfterSeconds: 0n,
    validBeforeSeconds: 100n,
    nonce: `0x${'00'.repeat(32)}`,
    signature: SIGNATURE,
    confirmations: 1,
    payout: { id: 1n, merchant: '0xd0', feeBps: 50, splits: [] },
    ...change,
  };
}
