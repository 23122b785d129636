// Payout of the development account on the Internet Computer. A transfer has one recipient, so there is no fee and no split. Safe
// to repeat.
import { PAYOUT_STATUS } from '@svc-pay/core';
import { payoutTerms } from '@svc-pay/money';
import { enableTokens, type Operation, setPayout } from '@svc-pay/postgres/operator';
import { parseNetwork } from '@svc-pay/protocol';
import { type DevIcp, ICP_TOKEN } from './start-icp.ts';

export async function seedIcpPayout(operation: Operation, accountId: string, icp: DevIcp): Promise<void> {
  const network = parseNetwork(icp.network);
  const terms = payoutTerms({ feeBps: 0, splits: [] });
  if (!terms.ok || network === undefined)
    throw new Error('the development payout on the Internet Computer is not usable');
  const owner = { accountId, mode: 'test' } as const;
  const enabled = await enableTokens(operation, { ...owner, shortcodes: [ICP_TOKEN] });
  if (!enabled.ok) throw new Error(`the development account can't have ${ICP_TOKEN}: ${enabled.code}`);
  const { merchant } = icp;
  const request = { ...owner, network, processor: merchant, merchant, terms: terms.terms } as const;
  const set = await setPayout(operation, { ...request, status: PAYOUT_STATUS.active });
  if (!set.ok) throw new Error(`the development account can't have its payout of ${ICP_TOKEN}: ${set.code}`);
}
