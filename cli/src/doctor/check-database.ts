import { type Clock, createSecretBox } from '@svc-pay/core';
import { type Database, planMigrations } from '@svc-pay/postgres';
import {
  countSealed,
  type DatabaseFacts,
  DURABILITY_SETTINGS,
  inspectDatabase,
  type Operation,
  rehashKeys,
} from '@svc-pay/postgres/operator';
import { explainFailure } from '../command/explain-failure.ts';
import { COMMAND } from '../command/leaf.ts';
import { BEFORE_BASELINE } from '../commands/migrate.ts';
import { checkClock } from './check-clock.ts';
import { checkKeySecrets, checkSealed, type KeySecretsAtHand } from './check-key-secrets.ts';
import { checkLanes } from './check-lanes.ts';
import { checkRetention } from './check-retention.ts';
import { type Finding, findingsOf } from './finding.ts';
import { withDoctorDatabase } from './with-doctor-database.ts';

/** Major version of PostgreSQL that the release is tested on. */
const TESTED_VERSION_NUMBER = 180_000;

/** An older schema has no such tables, or the role may not read them: reported as a warning instead of skipped. */
const unread =
  (subject: string) =>
  (problem: unknown): readonly Finding[] => [
    findingsOf('database', subject).warning(
      `The ${subject} could not be read: ${explainFailure(problem).message}`,
      'See the line on migrations, and what this role may read.',
    ),
  ];

export async function checkDatabase(url: string, secrets: KeySecretsAtHand, clock: Clock): Promise<readonly Finding[]> {
  const check = async ({ ping, pool }: Database): Promise<readonly Finding[]> => {
    await ping();
    const beforeMs = clock.nowMs();
    const facts = await inspectDatabase(pool);
    const afterMs = clock.nowMs();
    return [
      checkVersion(facts),
      checkClock('database', 'clock', facts.nowMs, beforeMs, afterMs),
      await checkMigrations(url),
      ...checkDurability(facts),
      ...(facts.migrated ? await checkKeys(pool, secrets, afterMs).catch(unread('keys')) : []),
      ...(facts.migrated ? await checkRetention(pool, afterMs).catch(unread('retention')) : []),
      ...(facts.migrated ? await checkLanes(pool, afterMs).catch(unread('lanes')) : []),
    ];
  };
  try {
    return await withDoctorDatabase(url, check);
  } catch (problem) {
    const { message, advice = '' } = explainFailure(problem);
    return [findingsOf('database', 'connection').problem(message, advice)];
  }
}

async function checkKeys(
  pool: Operation['pool'],
  secrets: KeySecretsAtHand,
  nowMs: number,
): Promise<readonly Finding[]> {
  const { keyPeppers: peppers, masterKeys } = secrets;
  const sealed = checkSealed(await countSealed(pool), secrets);
  if (peppers === undefined || masterKeys === undefined) return sealed;
  const operation = { pool, nowMs, actor: 'doctor' };
  const checked = await rehashKeys(operation, { peppers, box: createSecretBox(masterKeys), check: true });
  return [...checkKeySecrets(checked, peppers), ...sealed];
}

function checkVersion({ version, versionNumber }: DatabaseFacts): Finding {
  const { ok, warning } = findingsOf('database', 'version');
  return versionNumber >= TESTED_VERSION_NUMBER
    ? ok(`PostgreSQL ${version} answers.`)
    : warning(`PostgreSQL ${version} answers; this release is tested on 18.`, 'Plan an upgrade to PostgreSQL 18.');
}

async function checkMigrations(url: string): Promise<Finding> {
  const { ok, problem } = findingsOf('database', 'migrations');
  const plan = await planMigrations(url);
  if (!plan.ok)
    return problem(
      `Migration ${plan.name} does not fit this release (${plan.code}).`,
      plan.code === 'database_before_baseline' ? BEFORE_BASELINE : 'Run the release that the database was migrated by.',
    );
  if (plan.missing.length === 0) return ok('The schema is that of this release.');
  return problem(
    `${plan.missing.length} migrations are missing, from ${plan.missing[0]} on.`,
    `Run \`${COMMAND} migrate\`.`,
  );
}

function checkDurability({ settings }: DatabaseFacts): readonly Finding[] {
  return DURABILITY_SETTINGS.map((name) => {
    const { ok, problem } = findingsOf('database', name);
    const value = settings[name];
    // `remote_write` and `remote_apply` wait for more than `on` does.
    return value === 'on' || (name === 'synchronous_commit' && /^remote_(?:write|apply)$/.test(value))
      ? ok(`${name} is ${value}.`)
      : problem(
          `${name} is ${value}: a crash can lose payments that were answered as taken.`,
          `Set ${name} = on in postgresql.conf.`,
        );
  });
}
