// A shop that the operator's command opens, as in a new installation or by the command of another release.
import type pg from 'pg';
import type { ShopStore } from './open-shop.ts';

/** What `accounts create --json` prints. */
type MadeAccount = {
  readonly account: { readonly id: string };
  readonly keys: readonly { readonly mode: string; readonly kind: string; readonly text: string }[];
};

/** `svc` runs the command and returns its output, or throws. */
export function shopByCommand(
  svc: (...argv: readonly string[]) => Promise<string>,
  pool: pg.Pool,
  network: string,
): ShopStore {
  return {
    storeAccount: async (_, shortcodes) => {
      const made = await svc('accounts', 'create', '--name', 'A shop', '--json');
      const { account, keys } = JSON.parse(made) as MadeAccount;
      const keyOf = (kind: string) => keys.find((key) => key.mode === 'test' && key.kind === kind)?.text ?? '';
      await svc('tokens', 'enable', ...shortcodes, '--account', account.id, '--mode', 'test');
      return { accountId: account.id, publishableKey: keyOf('publishable'), secretKey: keyOf('secret') };
    },
    storePayout: async (_, { accountId, merchant, terms, status }) => {
      const of = ['--account', accountId, '--mode', 'test', '--network', network, '--merchant', merchant];
      const split = terms.splits.flatMap(({ to, bps }) => ['--split', `${to}:${bps}`]);
      await svc('payouts', 'set', ...of, ...split, '--fee-bps', String(terms.feeBps), '--status', status);
      const { rows } = await pool.query('select payout_id from svc.payouts where account_id = $1', [accountId]);
      return BigInt(rows[0].payout_id);
    },
  };
}
