import type { Payout } from '@svc-pay/core';
import type { Paint } from '@svc-pay/runtime/terminal/paint';
import { table } from '../output/table.ts';

export function shownPayouts(payouts: readonly Payout[], paint: Paint): string {
  return table(
    payouts,
    [
      { head: 'ACCOUNT', cell: (payout) => payout.accountId },
      { head: 'MODE', cell: (payout) => payout.mode },
      { head: 'NETWORK', cell: (payout) => payout.network },
      { head: 'KIND', cell: ({ direct }) => (direct === undefined ? 'processor' : `direct ${direct.use}`) },
      { head: 'ID', cell: (payout) => payout.payoutId },
      { head: 'PROCESSOR', cell: ({ direct, processor }) => (direct === undefined ? processor : '') },
      { head: 'MERCHANT', cell: (payout) => payout.merchant },
      { head: 'ASSET', cell: ({ direct }) => direct?.asset ?? '' },
      { head: 'FEE', cell: (payout) => `${payout.feeBps} bps` },
      { head: 'SPLITS', cell: (payout) => payout.splits.map(({ to, bps }) => `${to}:${bps}`).join(' ') },
      { head: 'STATUS', cell: (payout) => payout.status },
      { head: 'FROM', cell: ({ direct }) => direct?.activeFrom ?? '' },
    ],
    paint,
  );
}
