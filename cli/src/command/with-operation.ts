// Opens what a command needs, closes it afterwards, and reports missing settings.
import { authenticateOperator, pepperBytes, useExplorers } from '@svc-pay/core';
import { openDatabase } from '@svc-pay/postgres';
import { findOperator, type Operation } from '@svc-pay/postgres/operator';
import { explorersOf } from '@svc-pay/runtime/config/networks';
import { type Need, type OperatorConfig, readOperatorConfig } from '../config.ts';
import { type CommandOutcome, type Failure, failed } from '../output/outcome.ts';
import type { Context } from './context.ts';

const STATEMENT_TIMEOUT_MS = 30_000;

export type Opened<Needed extends Need> = {
  readonly operation: Operation;
  readonly config: OperatorConfig<Needed | 'databaseUrl'>;
};

export type OperationOptions = {
  /** Longer timeout, for statements that read whole tables. */
  readonly statementTimeoutMs?: number;
};

export async function withOperation<Needed extends Need>(
  context: Context,
  needs: readonly Needed[],
  work: (opened: Opened<Needed>) => Promise<CommandOutcome>,
  { statementTimeoutMs = STATEMENT_TIMEOUT_MS }: OperationOptions = {},
): Promise<CommandOutcome> {
  const read = readOperatorConfig(['databaseUrl', ...needs], context.environment);
  if (!read.ok) return misconfigured(read.problems);
  const { config } = read;
  useExplorers(explorersOf(config.networks));
  const database = openDatabase(config.databaseUrl, {
    applicationName: 'svc-operator',
    maxConnections: 2,
    statementTimeoutMs,
    onConnectionLost: () => {},
  });
  try {
    const { pool } = database;
    const nowMs = context.clock.nowMs();
    const actor = await actorOf(context, config, (indexes) => findOperator(pool, indexes, nowMs));
    if (typeof actor !== 'string') return actor;
    return await work({ config, operation: { pool, nowMs, actor } });
  } finally {
    await database.close();
  }
}

/** The operator whose key is shown, or else the name that the environment gives. */
async function actorOf(
  { environment }: Context,
  { actor, operatorKey }: OperatorConfig,
  find: Parameters<typeof authenticateOperator>[0]['findOperator'],
): Promise<string | Failure> {
  if (operatorKey === undefined) return actor;
  const read = readOperatorConfig(['keyPeppers'], environment);
  if (!read.ok) return misconfigured(read.problems);
  const peppers = pepperBytes(read.config.keyPeppers);
  const known = await authenticateOperator({ peppers, findOperator: find }, operatorKey);
  if (known.ok) return known.actor;
  return failed('operator_unknown', 'No operator has the key in SVC_OPERATOR_KEY, or the operator is disabled.');
}

export function misconfigured(problems: readonly string[]): Failure {
  return failed(
    'configuration',
    `The environment is not complete:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    'Set these variables and run the command again. Secrets are never taken from the command line.',
  );
}
