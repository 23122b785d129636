import { isoTime, isPrintableName } from '@svc-pay/core';
import { createOperator, disableOperator, listOperators } from '@svc-pay/postgres/operator';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { COMMAND, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { harmless, table } from '../output/table.ts';
import { shownTime, timeOrNull } from '../output/times.ts';

type Create = { readonly name: string; readonly email: string };

export function operatorsCommand(surroundings: Surroundings): Command {
  const create = leaf(
    'create',
    'Create an operator with a key for the admin API. What is done with the key is on record under the operator’s id. Needs the database role of the migrations: an operator’s key makes no operators.',
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
  return new Command('operators')
    .description('Make and disable operators of the admin API.')
    .addCommand(create)
    .addCommand(list)
    .addCommand(disable);
}

async function createOne({ options, context }: Input<Create>): Promise<CommandOutcome> {
  const [name, email] = [options.name.trim(), options.email.trim().toLowerCase()];
  if (!isPrintableName(name)) return misused('A name has 1 to 200 printable characters.');
  if (!isPrintableName(email) || !/^[^\s@]+@[^\s@]+$/.test(email))
    return misused('An address looks like ada@example.com.');
  return withOperation(context, ['keyPepper'], async ({ operation, config }) => {
    const created = await createOperator(operation, config.keyPepper, { name, email });
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
    const data = operators.map(({ createdAtMs, disabledAtMs, lastUsedAtMs, ...operator }) => ({
      ...operator,
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
