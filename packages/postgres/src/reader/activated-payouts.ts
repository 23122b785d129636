// The direct payouts of a wallet whose activation holds. Rows of the database alone never decide whose wallet was paid.
import { type CheckUsedPayout, readActivation } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';

type Row = {
  readonly account_id: string;
  readonly mode: 'test' | 'live';
  readonly payout_id: string;
  readonly activation: unknown;
};

/** Names a payout of the wallet. The account is that of the payment, whatever the payout's row says. */
export const payoutKey = (
  { accountId, mode }: { readonly accountId: string; readonly mode: string },
  payoutId: bigint | string,
): string => `${accountId} ${mode} ${payoutId}`;

/** `unknown`: a contract wallet could not be asked. Asked before the rows are locked, because a chain may be slow. */
export async function findActivated(
  pool: pg.Pool,
  network: NetworkId,
  paid: { readonly asset: string; readonly wallet: string },
  checkPayout: CheckUsedPayout,
): Promise<ReadonlySet<string> | 'unknown'> {
  const { asset } = paid;
  const wallet = paid.wallet.toLowerCase();
  const { rows } = await pool.query<Row>({
    name: 'load-payouts-of-wallet',
    text: `
      select account_id, mode, payout_id, activation from svc.payouts
      where network = $1 and processor = $2 and kind = 'direct' order by payout_id`,
    values: [network, wallet],
  });
  const activated = new Set<string>();
  for (const { account_id: accountId, mode, payout_id, activation: stored } of rows) {
    const activation = readActivation(stored);
    if (activation === undefined) continue;
    const used = { accountId, mode, network, asset, wallet, number: BigInt(payout_id) };
    const verdict = await checkPayout(used, activation);
    if (verdict === 'unknown') return verdict;
    if (verdict === 'good') activated.add(payoutKey({ accountId, mode }, payout_id));
  }
  return activated;
}
