import { svc } from '../../e2e/run-svc.ts';
import type { Violation } from '../checker/case-file.ts';

/** The operator's own check of the books finds nothing. */
export async function findUnbalanced(environment: Readonly<Record<string, string>>): Promise<readonly Violation[]> {
  const { exitCode, stdout, stderr } = await svc(environment, 'ledger', 'check');
  return exitCode === 0 ? [] : [{ rule: 'books', text: `ledger check: ${`${stdout}${stderr}`.trim()}` }];
}
