// Opens the actions on accounts, keys, limits and payouts for a command: by the admin API if SVC_ADMIN_URL is set, otherwise
// on the database.
import { createSecretBox } from '@svc-pay/core';
import { type AdminActions, createAdminActions } from '@svc-pay/postgres/operator';
import { readOperatorConfig } from '../config.ts';
import type { CommandOutcome } from '../output/outcome.ts';
import type { Context } from './context.ts';
import { AdminCallFailed, createRemoteAdmin } from './remote-admin.ts';
import { misconfigured, withOperation } from './with-operation.ts';

export type AdminNeeds = {
  /** The command makes keys. */
  readonly makesKeys?: true;
};

export async function withAdmin(
  context: Context,
  { makesKeys }: AdminNeeds,
  work: (admin: AdminActions) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const read = readOperatorConfig([], context.environment);
  if (!read.ok) return misconfigured(read.problems);
  const { adminUrl, operatorKey } = read.config;
  if (adminUrl !== undefined) {
    if (operatorKey === undefined) return misconfigured(['SVC_OPERATOR_KEY is missing: the key of an operator, opk_…']);
    try {
      return await work(createRemoteAdmin(adminUrl, operatorKey));
    } catch (problem) {
      if (problem instanceof AdminCallFailed) return problem.failure;
      throw problem;
    }
  }
  if (makesKeys !== true) {
    return withOperation(context, [], ({ operation }) => work(createAdminActions(operation, undefined)));
  }
  return withOperation(context, ['keyPeppers', 'masterKeys'], ({ operation, config }) =>
    work(
      createAdminActions(operation, { pepper: config.keyPeppers[0].bytes, box: createSecretBox(config.masterKeys) }),
    ),
  );
}
