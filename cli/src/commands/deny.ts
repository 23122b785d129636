import { type DeniedKind, dayEndMs, isoTime } from '@svc-pay/core';
import { addDenied, type DeniedRow, listDenied, removeDenied } from '@svc-pay/postgres/operator';
import { Command } from 'commander';
import type { Context, Input } from '../command/context.ts';
import { COMMAND, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { harmless, table } from '../output/table.ts';
import { shownTime, timeOrNull } from '../output/times.ts';
import { readDurationMs } from './duration.ts';
import { readDenied } from './read-denied.ts';
import { referenceOf } from './reference.ts';
import { unknownKey } from './refusals.ts';

type Add = { readonly reason: string; readonly for?: string };

const MAX_REASON = 200;
const WHOM = 'address, range, address hash, payer or id of a key';

export function denyCommand(surroundings: Surroundings): Command {
  const add = leaf(
    'add',
    'Refuse an address or a range, a payer, or an API key. Every API process refuses it within a second. ' +
      'Payments that are claimed go on, and what reaches a merchant on chain is recorded. A principal is denied with all its accounts. Adding it again changes reason and end.',
    [
      'deny add 203.0.113.0/24 --reason "flood of creates" --for 24h',
      'deny add 0x… --reason "burns gas"',
      'deny add k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae --reason "refused"',
      'deny add key_… --reason "leaked"',
    ],
  )
    .argument('<whom>', WHOM)
    .requiredOption('--reason <text>', 'for the list and the audit record')
    .option('--for <time>', 'until then, such as 90s, 30m, 24h, 7d; without it until `deny remove`')
    .action(runs<Add>(surroundings, addOne));
  const remove = leaf('remove', 'Take somebody off the deny list.', ['deny remove 203.0.113.0/24'])
    .argument('<whom>', WHOM)
    .action(runs(surroundings, removeOne));
  const list = leaf('list', 'Show who is denied, the newest first.', ['deny list', 'deny list --json']).action(
    runs(surroundings, listAll),
  );
  return new Command('deny')
    .description('Refuse addresses, payers and keys.')
    .addCommand(add)
    .addCommand(remove)
    .addCommand(list);
}

async function addOne({ options, positionals: [text = ''], context }: Input<Add>): Promise<CommandOutcome> {
  const named = readDenied(text);
  if (!named.ok) return misused(named.message);
  const reason = options.reason.trim();
  if (reason === '' || reason.length > MAX_REASON || harmless(reason) !== reason) {
    return misused(`A reason has 1 to ${MAX_REASON} printable characters.`);
  }
  const durationMs = options.for === undefined ? null : readDurationMs(options.for);
  if (durationMs === undefined || durationMs === 0) return misused('A time is such as 90s, 30m, 24h or 7d.');
  const { kind, value } = named;
  return withOperation(context, ['keyPeppers'], async ({ operation, config }) => {
    const expiresAtMs = endOf(kind, durationMs, operation.nowMs);
    const reference = auditName(config.keyPeppers[0].bytes, kind, value);
    if (!(await addDenied(operation, { kind, value, reference, reason, expiresAtMs }))) return unknownKey();
    const until = expiresAtMs === null ? 'until it is removed' : `until ${shownTime(expiresAtMs)} UTC`;
    return done(
      { kind, value, reason, expiresAt: timeOrNull(expiresAtMs) },
      `${value} is denied ${until}. Every API process refuses it within a second.`,
    );
  });
}

async function removeOne({ positionals: [text = ''], context }: Input<unknown>): Promise<CommandOutcome> {
  const named = readDenied(text);
  if (!named.ok) return misused(named.message);
  const { kind, value } = named;
  return withOperation(context, ['keyPeppers'], async ({ operation, config }) => {
    const reference = auditName(config.keyPeppers[0].bytes, kind, value);
    if (!(await removeDenied(operation, { kind, value, reference }))) {
      return failed('not_denied', `${value} is not on the list.`, `\`${COMMAND} deny list\` shows what is.`);
    }
    return done({ kind, value }, `${value} is no longer denied.`);
  });
}

async function listAll({ context }: Input<unknown>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation }) => {
    const rows = await listDenied(operation.pool, operation.nowMs);
    const denied = rows.map(({ createdAtMs, expiresAtMs, ...row }) => ({
      ...row,
      createdAt: isoTime(createdAtMs),
      expiresAt: timeOrNull(expiresAtMs),
    }));
    return done({ denied }, rows.length === 0 ? 'Nobody is denied.' : shown(rows, context));
  });
}

/** The hash of an address changes at midnight UTC, so its entry ends there. */
function endOf(kind: DeniedKind, durationMs: number | null, nowMs: number): number | null {
  const endMs = durationMs === null ? null : nowMs + durationMs;
  return kind === 'address_hash' ? Math.min(endMs ?? Number.POSITIVE_INFINITY, dayEndMs(nowMs)) : endMs;
}

/** The audit record is kept for years: it names keys and hashes as they are, payers and addresses by a reference. */
function auditName(pepper: Uint8Array, kind: DeniedKind, value: string): string {
  if (kind === 'key') return value;
  return kind === 'address_hash' ? `address_hash:${value}` : referenceOf(pepper, kind, value);
}

const shown = (rows: readonly DeniedRow[], { paint }: Context) =>
  table(
    rows,
    [
      { head: 'KIND', cell: ({ kind }) => kind },
      { head: 'DENIED', cell: ({ value }) => value },
      { head: 'REASON', cell: ({ reason }) => reason },
      { head: 'SINCE (UTC)', cell: ({ createdAtMs }) => shownTime(createdAtMs) },
      { head: 'UNTIL (UTC)', cell: ({ expiresAtMs }) => (expiresAtMs === null ? '—' : shownTime(expiresAtMs)) },
      { head: 'BY', cell: ({ actor }) => actor },
    ],
    paint,
  );
