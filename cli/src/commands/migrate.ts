import { type MigrateRefusal, migrate, planMigrations } from '@svc-pay/postgres';
import type { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { COMMAND, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { misconfigured } from '../command/with-operation.ts';
import { readOperatorConfig } from '../config.ts';
import { type CommandOutcome, done, failed } from '../output/outcome.ts';

type Options = { readonly check?: boolean };

export function migrateCommand(surroundings: Surroundings): Command {
  return leaf('migrate', 'Apply the pending migrations of this release to the database.', [
    'migrate',
    'migrate --check',
  ])
    .option('--check', 'only print the pending migrations')
    .action(runs<Options>(surroundings, run));
}

async function run({ options, context }: Input<Options>): Promise<CommandOutcome> {
  const read = readOperatorConfig(['databaseUrl'], context.environment);
  if (!read.ok) return misconfigured(read.problems);
  const { databaseUrl } = read.config;
  if (options.check === true) {
    const plan = await planMigrations(databaseUrl);
    if (!plan.ok) return refused(plan.code, plan.name);
    const { missing } = plan;
    return done({ missing }, missing.length === 0 ? 'Nothing to apply.' : listing('Would apply', missing));
  }
  const result = await migrate(databaseUrl);
  if (!result.ok) return refused(result.code, result.name);
  const { applied, partitions } = result;
  const text = [
    applied.length === 0 ? 'Nothing to apply.' : listing('Applied', applied),
    partitions.length === 0 ? 'All months have their partitions.' : listing('Made partitions', partitions),
  ].join('\n');
  return done({ applied, partitions }, text);
}

const listing = (title: string, names: readonly string[]) =>
  `${title} (${names.length}):\n${names.map((name) => `  ${name}`).join('\n')}`;

/** Message for a database that no release created. `doctor` shows it too. */
export const BEFORE_BASELINE =
  'It was created during development, before the first release, and cannot be upgraded. Create a new database ' +
  'and migrate that, then read settled payments back from the chain (docs/operate/restore.md).';

const ADVICE: Readonly<Record<MigrateRefusal, string>> = {
  migration_changed: 'A released file must not change: check out the release that the database was migrated by.',
  migration_unknown: 'The database belongs to a newer release: run that one.',
  migration_out_of_order: 'A file was added before one that is applied already: give it the next number.',
  database_before_baseline: BEFORE_BASELINE,
};

function refused(code: MigrateRefusal, name: string): CommandOutcome {
  return failed(
    code,
    code === 'database_before_baseline'
      ? 'This database has the schema from before the first release, and nothing was changed.'
      : `Migration ${name} stands in the way, and nothing was changed.`,
    `${ADVICE[code]} \`${COMMAND} doctor\` looks closer.`,
  );
}
