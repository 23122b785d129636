import { ChainUnavailable, findChain, isoTime, type LedgerCursor, readContinuation, TOKENS } from '@svc-pay/core';
import {
  loadTokenLedger,
  type ReadTokenLedger,
  type ResetOutcome,
  reportTokenLedgers,
  resetTokenLedger,
} from '@svc-pay/postgres/operator';
import { isIcp, type OperatedNetworks } from '@svc-pay/runtime/config/networks';
import { Command } from 'commander';
import { openTokenLedgers } from '../chain/token-ledgers.ts';
import type { Input } from '../command/context.ts';
import { COMMAND, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, type Failure, failed, misused } from '../output/outcome.ts';
import { harmless, table } from '../output/table.ts';
import { timeOrNull } from '../output/times.ts';

type Reset = { readonly nextIndex: string; readonly reason: string };

const MAX_REASON = 200;
/** A replicated call takes some seconds. */
const TIMEOUT_MS = 15_000;
/** As the API: a ledger that was not read for longer is not offered. */
const LATE_SECONDS = 600;

export function tokenLedgersCommand(surroundings: Surroundings): Command {
  const list = leaf(
    'list',
    'Show how far every token ledger of the Internet Computer is read, and what stops it. Ledgers of SVC_NETWORKS that ' +
      'were never read are shown too.',
    ['token-ledgers list', 'token-ledgers list --json'],
  ).action(runs<object>(surroundings, listAll));
  const reset = leaf(
    'reset',
    'Forget how far a token ledger was read, because it was installed anew; settlement then reads it from the first ' +
      'block that is not older than the first payout. The ledger is asked for the last block that was read: while it ' +
      'still has it, or does not answer, the command refuses. So it does while transfers wait to be applied, and while ' +
      'the new ledger is no longer than the blocks that count: their names are taken.',
    [
      'token-ledgers reset icp:local bkyz2-fmaaa-aaaaa-qaaaq-cai --next-index 118 --reason "local ledger installed anew"',
    ],
  )
    .argument('<network>', 'such as icp:local')
    .argument('<ledger>', 'canister id, as in `token-ledgers list`')
    .requiredOption('--next-index <number>', 'as `token-ledgers list` shows it: the command refuses if it has moved')
    .requiredOption('--reason <text>', 'for the audit record')
    .action(runs<Reset>(surroundings, resetOne));
  return new Command('token-ledgers')
    .description('Look after the reading of token ledgers on the Internet Computer.')
    .addCommand(list)
    .addCommand(reset);
}

type ShownLedger = {
  readonly network: string;
  readonly ledger: string;
  readonly token: string | null;
  /** Null for a ledger that was never read. */
  readonly nextIndex: string | null;
  readonly readAt: string | null;
  readonly lateSeconds: number | null;
  readonly stoppedAt: string | null;
  readonly waiting: number;
  /** In words. */
  readonly state: string;
};

async function listAll({ context }: Input<object>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation: { pool, nowMs }, config }) => {
    const read = await reportTokenLedgers(pool);
    const ledgers = [...read.map((one) => shownOf(one, nowMs)), ...neverRead(config.networks, read)];
    if (ledgers.length === 0) return done({ ledgers }, 'There are no token ledgers: SVC_NETWORKS has none.');
    const text = table<ShownLedger>(
      ledgers,
      [
        { head: 'NETWORK', cell: ({ network }) => network },
        { head: 'LEDGER', cell: ({ ledger }) => ledger },
        { head: 'TOKEN', cell: ({ token }) => token ?? '' },
        { head: 'NEXT INDEX', cell: ({ nextIndex }) => nextIndex ?? '' },
        { head: 'READ AT', cell: ({ readAt }) => readAt ?? '' },
        { head: 'WAITING', cell: ({ waiting }) => String(waiting) },
        { head: 'STATE', cell: ({ state }) => state },
      ],
      context.paint,
    );
    return done({ ledgers }, text);
  });
}

function shownOf(one: ReadTokenLedger, nowMs: number): ShownLedger {
  const { network, ledger, nextIndex, readAtMs, stoppedAtMs, waiting } = one;
  const lateSeconds = readAtMs === null ? null : Math.max(0, Math.floor((nowMs - readAtMs) / 1_000));
  return {
    network,
    ledger,
    token: tokenOf(network, ledger),
    nextIndex: nextIndex.toString(),
    readAt: timeOrNull(readAtMs),
    lateSeconds,
    stoppedAt: timeOrNull(stoppedAtMs),
    waiting,
    state: stateOf(stoppedAtMs, lateSeconds),
  };
}

function stateOf(stoppedAtMs: number | null, lateSeconds: number | null): string {
  if (stoppedAtMs !== null) return `stopped since ${isoTime(stoppedAtMs)}: its blocks do not continue what was read`;
  if (lateSeconds === null) return 'not read to its end yet';
  return lateSeconds > LATE_SECONDS ? `late by ${lateSeconds} s, not offered` : 'read';
}

function neverRead(operated: OperatedNetworks, read: readonly ReadTokenLedger[]): readonly ShownLedger[] {
  return TOKENS.flatMap(({ network, address: ledger, shortcode }) => {
    const setup = operated.get(network);
    if (setup === undefined || !isIcp(setup)) return [];
    if (read.some((one) => one.network === network && one.ledger === ledger)) return [];
    const unknown = { nextIndex: null, readAt: null, lateSeconds: null, stoppedAt: null, waiting: 0 };
    return [{ network, ledger, token: shortcode, ...unknown, state: 'never read' }];
  });
}

const tokenOf = (network: string, ledger: string): string | null =>
  TOKENS.find((token) => token.network === network && token.address === ledger)?.shortcode ?? null;

async function resetOne({ options, positionals, context }: Input<Reset>): Promise<CommandOutcome> {
  const [name = '', ledger = ''] = positionals;
  if (!/^\d{1,19}$/.test(options.nextIndex)) return misused('--next-index: a number, as `token-ledgers list` shows it');
  const reason = options.reason.trim();
  if (reason === '' || reason.length > MAX_REASON || harmless(reason) !== reason)
    return misused(`--reason: 1 to ${MAX_REASON} printable characters, for the audit record`);
  return withOperation(context, [], async ({ operation, config }) => {
    const [chain] = openTokenLedgers(config.networks, name, TIMEOUT_MS);
    const mode = chain && findChain(chain.network)?.mode;
    if (chain === undefined || mode === undefined)
      return misused('<network>: SVC_NETWORKS has no such network of the Internet Computer with rpcUrls');
    const stored = await loadTokenLedger(operation.pool, chain.network, ledger);
    if (stored === undefined)
      return failed('ledger_not_read', `${harmless(ledger)} is not read on ${chain.network}.`, LIST_SHOWS);
    if (stored.nextIndex !== BigInt(options.nextIndex)) return refusalOf({ ok: false, code: 'cursor_moved' });
    try {
      const told = await readContinuation(chain, stored);
      const outcome = await resetTokenLedger(operation, { mode, cursor: stored, told, reason });
      return outcome.ok ? resetDone(stored, outcome) : refusalOf(outcome);
    } catch (problem) {
      if (!(problem instanceof ChainUnavailable)) throw problem;
      return failed(
        'chain_unreadable',
        `Nobody knows whether the ledger is another: ${problem.message}.`,
        'Correct `rpcUrls` and `rootKey`, or run it again later. Nothing was changed.',
      );
    }
  });
}

const LIST_SHOWS = `\`${COMMAND} token-ledgers list\` shows them.`;

function resetDone(
  { network, ledger, nextIndex }: LedgerCursor,
  { countedBlocks, highestCounted }: Extract<ResetOutcome, { ok: true }>,
): CommandOutcome {
  const names =
    countedBlocks === 0
      ? 'No block of the old ledger counts.'
      : `${countedBlocks} blocks of the old ledger count, up to ${highestCounted}. Payments of them stay. A block of the new ledger with the index of one of them does not count again, and \`${COMMAND} ledger check\` calls the old payments different.`;
  return done(
    { network, ledger, nextIndex: `${nextIndex}`, countedBlocks, highestCounted: highestCounted?.toString() ?? null },
    `${ledger} is read anew by settlement, within seconds. ${names}`,
  );
}

function refusalOf(outcome: Extract<ResetOutcome, { ok: false }>): Failure {
  const unchanged = 'Nothing was changed.';
  if (outcome.code === 'cursor_moved')
    return failed(outcome.code, 'The ledger was read on, or reset, since you looked.', `${LIST_SHOWS} ${unchanged}`);
  if (outcome.code === 'ledger_continues')
    return failed(
      outcome.code,
      'The ledger still has the last block that was read: it is the same ledger.',
      `A cursor that stands goes on with the next block of the ledger. ${unchanged}`,
    );
  if (outcome.code === 'transfers_wait')
    return failed(
      outcome.code,
      `${outcome.waiting} transfers of the old ledger are read and not applied.`,
      `Let settlement apply them: \`row_skipped\` of its log says what holds them up. ${unchanged}`,
    );
  return failed(
    outcome.code,
    `The ledger has ${outcome.length} blocks, and block ${outcome.highestCounted} of the old one counts: new payments would get names that are taken, and would not be found.`,
    `Let the new ledger pass block ${outcome.highestCounted}, by any transfers, and run it again. ${unchanged}`,
  );
}
