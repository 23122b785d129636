// Payout of the development account on Solana, with the same fee and split as on the EVM chain. Safe to repeat.
import { PAYOUT_STATUS, TOKENS, UNFINISHED_BATCH } from '@svc-pay/core';
import { payoutTerms } from '@svc-pay/money';
import { enableTokens, type Operation, setPayout } from '@svc-pay/postgres/operator';
import { parseNetwork } from '@svc-pay/protocol';
import { DEV_PAYOUT } from './register-payout.ts';
import type { DevDatabase } from './start-database.ts';
import type { DevSolana } from './start-solana.ts';

export async function seedSolanaPayout(operation: Operation, accountId: string, solana: DevSolana): Promise<void> {
  const network = parseNetwork(solana.network);
  const terms = payoutTerms({
    feeBps: DEV_PAYOUT.feeBps,
    splits: DEV_PAYOUT.splits.map(({ bps }) => ({ to: solana.partner, bps })),
  });
  if (!terms.ok || network === undefined) throw new Error('the development payout on Solana is not usable');
  const shortcodes = TOKENS.filter((token) => token.network === network).map(({ shortcode }) => shortcode);
  const enabled = await enableTokens(operation, { accountId, mode: 'test', shortcodes });
  if (!enabled.ok) throw new Error(`the development account can't have its Solana tokens: ${enabled.code}`);
  const { merchant, feeAccount: processor } = solana;
  const request = { accountId, mode: 'test', network, processor, merchant, terms: terms.terms } as const;
  const set = await setPayout(operation, { ...request, status: PAYOUT_STATUS.active });
  if (!set.ok) throw new Error(`the development account can't have its Solana payout: ${set.code}; start with --fresh`);
}

/** False if a batch was pending at the end of the last run: its chain is gone, so the result can never be known. */
export async function solanaFitsDatabase({ pool }: Pick<DevDatabase, 'pool'>): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select 1 from svc.batches where network like 'solana:%' and status = any ($1) limit 1`,
    [UNFINISHED_BATCH],
  );
  return rowCount === 0;
}
