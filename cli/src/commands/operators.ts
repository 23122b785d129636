import { isoTime, isPrintableName } from '@svc-pay/core';
import { createOperator, disableOperator, listOperators, rollOperator } from '@svc-pay/postgres/operator';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { COMMAND, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { harmless, table } from '../output/table.ts';
import { shownTime, timeOrNull } from '../output/times.ts';
import { readDurationMs } from './duration.ts';

type Roll = { readonly overlap: string };
type Create = { readonly name: string; readonly email: string };

const MAX_OVERLAP_MS = 7 * 86_400_000;

export function operatorsCommand(surroundings: Surroundings): Command {
  const create = leaf(
    'create',
    'Create an operator with a key for the admin API. What is done with the key is on record under the ' +
      'operator’s id. Needs the database role of the migrations: an operator’s key makes no operators.',
    ['operators create --name "Ada Lovelace" --email ada@example.com'],
  )
    .requiredOption('--name <name>', 'name of the person or the platform')
    .requiredOption('--email <address>', 'address; one operator for each')
    .action(runs<Create>(surroundings, createOne));
  const list = leaf('list', 'Show operators, oldest first, and when their keys were last used.', [
    'operators list',
  ]).action(runs(surroundings, listAll));
  const disable = leaf('disable', 'Refuse the key of an operator from now on.', ['operators disable op_…'])
    .argument('<operator>', 'id of the operator')
    .action(runs(surroundings, disableOne));
  const roll = leaf(
    'roll',
    'Give an operator another key. The key before works until the overlap ends. With --overlap 0 every earlier ' +
      'key ends now, as for a key that has leaked.',
    ['operators roll op_…', 'operators roll op_… --overlap 0'],
  )
    .argument('<operator>', 'id of the operator')
    .option('--overlap <time>', 'how long the key before stays valid: 0 to 7d, such as 90s, 30m, 24h', '24h')
    .action(runs<Roll>(surroundings, rollOne));
  return new Command('operators')
    .description('Make and disable operators of the admin API.')
    .addCommand(create)
    .addCommand(list)
    .addCommand(disable)
    .addCommand(roll);
}

async function createOne({ options, context }: Input<Create>): Promise<CommandOutcome> {
  const [name, email] = [options.name.trim(), options.email.trim().toLowerCase()];
  if (!isPrintableName(name)) return misused('A name has 1 to 200 printable characters.');
  if (!isPrintableName(email) || !/^[^\s@]+@[^\s@]+$/.test(email))
    return misused('An address looks like ada@example.com.');
  return withOperation(context, ['keyPeppers'], async ({ operation, config }) => {
    const created = await createOperator(operation, config.keyPeppers[0], { name, email });
    if (!created.ok)
      return failed(
        created.code,
        'There is an operator with this address.',
        `\`${COMMAND} operators list\` shows them.`,
      );
    const { id, key } = created;
    return done(
      { operator: { id, name, email }, key },
      [
        `Operator ${context.paint.bold(id)} (${name}) is made.`,
        '',
        key,
        '',
        context.paint.warn('The key is shown this once and can’t be shown again: store it now.'),
        'The command uses it with SVC_ADMIN_URL and SVC_OPERATOR_KEY.',
      ].join('\n'),
    );
  });
}

async function listAll({ context }: Input<unknown>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation }) => {
    const operators = await listOperators(operation.pool);
    const text = table(
      operators,
      [
        { head: 'OPERATOR', cell: ({ id }) => id },
        { head: 'NAME', cell: ({ name }) => name },
        { head: 'ADDRESS', cell: ({ email }) => email },
        { head: 'KEY', cell: ({ hint }) => (hint === null ? '' : `…${hint}`) },
        { head: 'STATE', cell: ({ disabledAtMs }) => (disabledAtMs === null ? 'usable' : 'disabled') },
        { head: 'USED (UTC)', cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? '' : shownTime(lastUsedAtMs)) },
      ],
      context.paint,
    );
    const data = operators.map(({ createdAtMs, disabledAtMs, lastUsedAtMs, previousExpiresAtMs, ...operator }) => ({
      ...operator,
      previousExpiresAt: timeOrNull(previousExpiresAtMs),
      createdAt: isoTime(createdAtMs),
      disabledAt: timeOrNull(disabledAtMs),
      lastUsedAt: timeOrNull(lastUsedAtMs),
    }));
    return done({ operators: data }, operators.length === 0 ? 'There are no operators yet.' : text);
  });
}

async function disableOne({ positionals: [id = ''], context }: Input<unknown>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation }) => {
    if (!(await disableOperator(operation, id)))
      return failed('operator_unknown', 'No operator has this id.', `\`${COMMAND} operators list\` shows them.`);
    return done({ operatorId: id, disabled: true }, `The key of ${harmless(id)} is refused from now on.`);
  });
}

async function rollOne({ options, positionals: [id = ''], context }: Input<Roll>): Promise<CommandOutcome> {
  const overlapMs = readDurationMs(options.overlap);
  if (overlapMs === undefined || overlapMs > MAX_OVERLAP_MS)
    return misused('An overlap is 0 to 7d.', 'Write it as 0, 90s, 30m, 24h or 7d.');
  return withOperation(context, ['keyPeppers'], async ({ operation, config }) => {
    const rolled = await rollOperator(operation, config.keyPeppers[0], { id, overlapMs });
    if (!rolled.ok) {
      if (rolled.code === 'roll_in_progress')
        return failed(
          rolled.code,
          `The key before the current one works until ${shownTime(rolled.previousExpiresAtMs)} UTC.`,
          'Wait until then, or end every earlier key with --overlap 0.',
        );
      const message = rolled.code === 'operator_unknown' ? 'No operator has this id.' : 'The operator is disabled.';
      return failed(rolled.code, message, `\`${COMMAND} operators list\` shows them.`);
    }
    const { key, previousExpiresAtMs } = rolled;
    return done(
      { operatorId: id, key, previousExpiresAt: isoTime(previousExpiresAtMs) },
      [
        key,
        '',
        context.paint.warn('The key is shown this once and can’t be shown again: store it now.'),
        overlapMs === 0
          ? 'Every earlier key of the operator is refused from now on.'
          : `The key before works until ${shownTime(previousExpiresAtMs)} UTC.`,
      ].join('\n'),
    );
  });
}
