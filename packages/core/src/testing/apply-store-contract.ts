// What an apply store makes of final logs. A log changes an intent at most once, whatever else happens to it.

import { testAmounts } from './apply-amount-contract.ts';
import { testClaimedUses } from './apply-claimed-contract.ts';
import type { ApplyHarness } from './apply-harness.ts';
import { testLandings } from './apply-landing-contract.ts';
import { testReceipts } from './apply-receipt-contract.ts';
import { testRefundedParts } from './refunded-parts-contract.ts';

export function testApplyStore(create: () => Promise<ApplyHarness>): void {
  testClaimedUses(create);
  testLandings(create);
  testReceipts(create);
  testAmounts(create);
  testRefundedParts(create);
}
