// `keys reseal`: after a change of the master key, seals every stored secret under the new one.
import { createSecretBox } from '@svc-pay/core';
import { countSealed, type ResealedSecrets, resealSecrets, type SealedCount } from '@svc-pay/postgres/operator';
import type { Command } from 'commander';
import type { Context, Input } from '../command/context.ts';
import { COMMAND, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed } from '../output/outcome.ts';
import { table } from '../output/table.ts';

type Reseal = { readonly check?: boolean };

/** How many secrets that no key opens are named. */
const MAX_NAMED = 20;

export function keysResealCommand(surroundings: Surroundings): Command {
  return leaf(
    'reseal',
    'Encrypt every stored secret with the first key of SVC_MASTER_KEYS, and count what another key has ' +
      'encrypted. Services go on meanwhile. Run it again if it was stopped, and until it counts 0: only then may ' +
      'the old key leave SVC_MASTER_KEYS.',
    ['keys reseal', 'keys reseal --check --json'],
  )
    .option('--check', 'only count')
    .action(runs<Reseal>(surroundings, reseal));
}

async function reseal({ options, context }: Input<Reseal>): Promise<CommandOutcome> {
  return withOperation(context, ['masterKeys'], async ({ operation, config }) => {
    const [{ number: current }] = config.masterKeys;
    const done: ResealedSecrets =
      options.check === true
        ? { resealed: 0, unopened: [], left: await leftOf(operation.pool, current) }
        : await resealSecrets(operation, createSecretBox(config.masterKeys), current);
    return told(context, current, done);
  });
}

const leftOf = async (pool: Parameters<typeof countSealed>[0], current: number) =>
  (await countSealed(pool)).filter(({ masterKey }) => masterKey !== current);

function told({ paint }: Context, current: number, { resealed, unopened, left }: ResealedSecrets): CommandOutcome {
  const count = left.reduce((sum, each) => sum + each.count, 0);
  const data = { masterKey: current, resealed, left, unopened: unopened.slice(0, MAX_NAMED) };
  const head = `${resealed} secrets were encrypted anew with master key ${current}.`;
  if (count === 0) return done(data, `${head}\n0 secrets are encrypted with another key.`);
  const columns = [
    { head: 'COLUMN', cell: ({ column }: SealedCount) => column },
    { head: 'MASTER KEY', cell: ({ masterKey }: SealedCount) => String(masterKey) },
    { head: 'SECRETS', cell: (row: SealedCount) => String(row.count) },
  ];
  const named = unopened
    .slice(0, MAX_NAMED)
    .map(({ column, accountId, id, masterKey }) => `  ${column} of ${id} (${accountId}), master key ${masterKey}`);
  const text = [
    head,
    '',
    table(left, columns, paint),
    ...(named.length === 0 ? [] : ['', 'No key in SVC_MASTER_KEYS opens:', ...named]),
  ].join('\n');
  const advice =
    unopened.length > 0
      ? 'Add the master key that encrypted them to SVC_MASTER_KEYS, or replace these secrets, then run the ' +
        'command again.'
      : 'Keep the old key in SVC_MASTER_KEYS. Give the API and the admin service the new SVC_SEAL_KEY, then run ' +
        `\`${COMMAND} keys reseal\`.`;
  return {
    ...failed('secrets_left', `${count} secrets are encrypted with another key than number ${current}.`, advice),
    report: { data, text },
  };
}
