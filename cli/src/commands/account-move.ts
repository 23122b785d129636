// `accounts move`: moves an account to another cell, from any state that an earlier call left behind.
import { createSecretBox } from '@svc-pay/core';
import { openDatabase } from '@svc-pay/postgres';
import { abortMove, type MovedAccount, type MoveRefused, moveAccount } from '@svc-pay/postgres/operator';
import type { Command } from 'commander';
import type { Context, Input } from '../command/context.ts';
import { accountOption, COMMAND, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed } from '../output/outcome.ts';
import { table } from '../output/table.ts';
import { unknownAccount } from './refusals.ts';

type Move = { readonly account: string; readonly abort?: boolean };

/** Statements of the copy set none; the others are short. */
const STATEMENT_TIMEOUT_MS = 600_000;

export function moveCommand(surroundings: Surroundings): Command {
  return leaf(
    'move',
    'Move an account with its keys, payouts, endpoints and history to the cell whose database SVC_TARGET_DATABASE_URL ' +
      'names. From the first call on the account takes no requests; the command tells what is still under way, and is ' +
      'called again until nothing is and the account has moved. A call that was killed is called again, too.',
    ['accounts move --account acct_…', 'accounts move --account acct_… --abort'],
  )
    .addOption(accountOption().makeOptionMandatory())
    .option('--abort', 'end the move and let the account work here again; possible until it has moved')
    .action(runs<Move>(surroundings, moveOne));
}

async function moveOne({ options, context }: Input<Move>): Promise<CommandOutcome> {
  const { account: accountId, abort = false } = options;
  if (abort) {
    return withOperation(context, [], async ({ operation }) => {
      const aborted = await abortMove(operation, accountId);
      return aborted.ok
        ? done(
            { accountId, aborted: true },
            `The move of ${accountId} is aborted: the account takes requests here again.`,
          )
        : refusal(accountId, aborted.code);
    });
  }
  const limits = { statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  return withOperation(
    context,
    ['targetDatabaseUrl', 'keyPeppers', 'masterKeys'],
    async ({ operation, config }) => {
      const target = openDatabase(config.targetDatabaseUrl, {
        applicationName: 'svc-operator',
        maxConnections: 3,
        ...limits,
        onConnectionLost: () => {},
      });
      try {
        const secrets = { peppers: config.keyPeppers, box: createSecretBox(config.masterKeys) };
        return told(context, accountId, await moveAccount(operation, { accountId, target: target.pool, secrets }));
      } finally {
        await target.close();
      }
    },
    limits,
  );
}

function told({ paint }: Context, accountId: string, moved: MovedAccount): CommandOutcome {
  if (moved.ok) {
    const { changed, rows, behind } = moved;
    const staying =
      behind === 0
        ? ''
        : ` ${behind} rows stay here: an account there has used the same authorizations or transactions.`;
    return done(
      { accountId, changed, rows, behind },
      changed
        ? `Account ${accountId} has moved with ${rows} rows, which are the same on both sides.${staying} Send its requests there.`
        : `Account ${accountId} has moved before.`,
    );
  }
  if (moved.code === 'account_has_open_work') {
    const columns = [
      { head: 'OPEN', cell: ({ count }: { count: number }) => String(count) },
      { head: 'WHAT', cell: ({ what }: { what: string }) => what },
      { head: 'ENDS WHEN', cell: ({ ends }: { ends: string }) => ends },
    ];
    return {
      ...failed(
        moved.code,
        `Account ${accountId} takes no requests and still has work under way.`,
        'Call the command again when it has ended, or with --abort to let the account work here again.',
      ),
      report: { data: { accountId, open: moved.open }, text: table(moved.open, columns, paint) },
    };
  }
  if (moved.code === 'copies_differ') {
    const lines = moved.differences.map(({ table: name, here, there }) => `  ${name}: ${here} here, ${there} there`);
    return {
      ...failed(
        moved.code,
        'What would arrive is not what is here, so nothing was moved.',
        'Call the command again. If it differs once more, abort the move and report these tables.',
      ),
      report: { data: { accountId, differences: moved.differences }, text: lines.join('\n') },
    };
  }
  return refusal(accountId, moved.code);
}

const REFUSALS: Readonly<Record<Exclude<MoveRefused, 'account_unknown'>, readonly [message: string, advice: string]>> =
  {
    account_closed: ['The account is closed.', 'A closed account stays where it is.'],
    account_in_target: [
      'The other cell already has an account with this id.',
      'Check SVC_TARGET_DATABASE_URL. An account can’t move back to a cell that it left.',
    ],
    account_has_open_caps: [
      'The account has confirmed up-to payments, which only its own key can charge.',
      'Let the merchant settle or release them before the account moves.',
    ],
    account_not_moving: ['The account is not being moved.', 'There is nothing to abort.'],
    account_moved: [
      'The account has moved.',
      `Run \`${COMMAND} accounts move\` without --abort: it completes what is left.`,
    ],
    move_under_way: ['Another move is running in this cell.', 'Wait for its end; moves run one after another.'],
    move_to_another_cell: [
      'The move has begun to another cell than SVC_TARGET_DATABASE_URL names.',
      'Set the database of that cell, or abort the move.',
    ],
    target_busy: [
      'Bookings of the other cell are not in its figures yet.',
      'Call the command again in a minute; settlement must run there.',
    ],
    wallet_shared: [
      'Another account has a direct payout to the same wallet: in two cells both could take one transfer for theirs.',
      `Accounts that share a wallet live in one cell. Run \`${COMMAND} payouts disable\` for the payout of one of them.`,
    ],
    payout_in_target: [
      'An account of the other cell has a payout of this account: the same network, processor or wallet, and number.',
      'A payout belongs to one account. Find out whose it is, and delete the other row.',
    ],
    authorization_open_there: [
      'A payer has used an authorization of a completed payment in the other cell too, where its payment has not ended.',
      'It fails there by itself, in minutes. Call the command again.',
    ],
    authorization_paid_twice: [
      'Both cells call a payment paid by one authorization, which a chain executes once.',
      `Run \`${COMMAND} ledger check\` in both cells, and report what it finds. Nothing was moved.`,
    ],
    log_proven_twice: [
      'In each cell one log, or one transaction that refunded a payment of the account, proves something else.',
      `Run \`${COMMAND} ledger check\` in both cells, and report what it finds. Nothing was moved.`,
    ],
    schema_differs: [
      'The two cells have different schemas.',
      `Run \`${COMMAND} migrate\` with the same release in both.`,
    ],
    same_codes: [
      'Both databases hand out the same intent codes: they are one database, or one is a copy of the other.',
      'Check SVC_TARGET_DATABASE_URL; in a copy run `select svc.skip_used_intent_codes()` before its first intent.',
    ],
    installation_differs: [
      'The cells have different installation ids, which activations, references and bound nonces of the account name.',
      'Give a new cell the id of the first before it has accounts (docs/operate/move-account.md).',
    ],
    overview_rebuilding: [
      'The figures of one of the cells are being built again.',
      'Call the command again afterwards.',
    ],
    relayer_shared: [
      'Both cells have an active lane for the same relayer.',
      'A relayer key belongs to one cell: retire it in the other one.',
    ],
    target_unproven: [
      'The other cell has no API key to compare SVC_KEY_PEPPER and SVC_MASTER_KEYS with.',
      `Make an account there first: \`${COMMAND} accounts create\` with the settings of that cell.`,
    ],
    secrets_differ: [
      'Keys of the account or of the other cell do not fit SVC_KEY_PEPPER and SVC_MASTER_KEYS.',
      'Both cells need the same pepper and the same master keys.',
    ],
    secrets_under_old_key: [
      'Secrets of the account are encrypted with a master key that the other cell has encrypted nothing with.',
      `Run \`${COMMAND} keys reseal\` here, with the same first key in SVC_MASTER_KEYS as there.`,
    ],
  };

function refusal(accountId: string, code: MoveRefused): CommandOutcome {
  return code === 'account_unknown' ? unknownAccount(accountId) : failed(code, ...REFUSALS[code]);
}
