import {
  type AuditChainFault,
  sealAuditChains,
  type VerifiedChain,
  verifyAuditChains,
} from '@svc-pay/postgres/operator';
import type { Paint } from '@svc-pay/runtime/terminal/paint';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed } from '../output/outcome.ts';
import { table } from '../output/table.ts';

type Options = { readonly account?: string };

export function auditCommand(surroundings: Surroundings): Command {
  const seal = leaf('seal', 'Add new audit rows to the hash chain of their account and mode.', ['audit seal'])
    .addOption(accountOption())
    .action(runs<Options>(surroundings, sealAll));
  const verify = leaf(
    'verify',
    'Verify every hash chain of the audit record, and name each row that was changed or removed.',
    ['audit verify', 'audit verify --account acct_… --json'],
  )
    .addOption(accountOption())
    .action(runs<Options>(surroundings, verifyAll));
  return new Command('audit')
    .description('Seal and check the record of who did what.')
    .addCommand(seal)
    .addCommand(verify);
}

async function sealAll({ options, context }: Input<Options>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation }) => {
    const chains = await sealAuditChains(operation.pool, options.account);
    const sealed = chains.reduce((sum, chain) => sum + chain.sealed, 0);
    return done({ sealed, chains }, `Sealed ${sealed} entries in ${chains.length} chains.`);
  });
}

const WORDS: Readonly<Record<AuditChainFault, string>> = {
  content: 'was changed',
  link: 'does not follow the one before it',
  gap: 'has rows missing before it',
  end: 'is the last one there, and more were sealed',
};

async function verifyAll({ options, context }: Input<Options>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation }) => {
    const chains = await verifyAuditChains(operation.pool, options.account);
    const broken = chains.filter(({ fault }) => fault !== null);
    const report = { data: { whole: broken.length === 0, chains }, text: shown(chains, context.paint) };
    if (broken.length === 0) return done(report.data, report.text);
    return {
      ...failed(
        'audit_broken',
        `${broken.length} of ${chains.length} chains do not hold.`,
        'Compare the named rows with a backup, and find out who could write to the database.',
      ),
      report,
    };
  });
}

function shown(chains: readonly VerifiedChain[], paint: Paint): string {
  return table(
    chains,
    [
      { head: 'ACCOUNT', cell: ({ accountId }) => accountId },
      { head: 'MODE', cell: ({ mode }) => mode },
      { head: 'VERIFIED', cell: ({ verified }) => String(verified) },
      { head: 'UNSEALED', cell: ({ unsealed }) => String(unsealed) },
      { head: 'LAST HASH', cell: ({ headHash }) => headHash?.slice(0, 16) ?? '' },
      { head: 'RESULT', cell: ({ fault }) => (fault === null ? 'whole' : `${fault.id} ${WORDS[fault.fault]}`) },
    ],
    paint,
  );
}
