import { Command } from 'commander';
import { abuseCommand } from '../commands/abuse.ts';
import { accountsCommand } from '../commands/accounts.ts';
import { archiveCommand } from '../commands/archive.ts';
import { auditCommand } from '../commands/audit.ts';
import { contractsCommand } from '../commands/contracts.ts';
import { costCommand } from '../commands/cost.ts';
import { denyCommand } from '../commands/deny.ts';
import { doctorCommand } from '../commands/doctor.ts';
import { eventsCommand } from '../commands/events.ts';
import { exportCommand } from '../commands/export.ts';
import { initCommand } from '../commands/init.ts';
import { keysCommand } from '../commands/keys.ts';
import { ledgerCommand } from '../commands/ledger.ts';
import { listenCommand } from '../commands/listen.ts';
import { migrateCommand } from '../commands/migrate.ts';
import { operatorsCommand } from '../commands/operators.ts';
import { overviewCommand } from '../commands/overview.ts';
import { payCommand } from '../commands/pay.ts';
import { paymentsCommand } from '../commands/payments.ts';
import { payoutsCommand } from '../commands/payouts.ts';
import { peopleCommand } from '../commands/people.ts';
import { privacyCommand } from '../commands/privacy.ts';
import { recoverCommand } from '../commands/recover.ts';
import { refundCommand } from '../commands/refund.ts';
import { rehearseCommand } from '../commands/rehearse.ts';
import { relayersCommand } from '../commands/relayers.ts';
import { startCommand } from '../commands/start.ts';
import { statementCommand } from '../commands/statement.ts';
import { tokenLedgersCommand } from '../commands/token-ledgers.ts';
import { tokensCommand } from '../commands/tokens.ts';
import { triggerCommand } from '../commands/trigger.ts';
import { walletCommand } from '../commands/wallet.ts';
import { COMMAND, type Surroundings } from './leaf.ts';

export function buildProgram(surroundings: Surroundings): Command {
  const program = new Command(COMMAND)
    .description('Runs and looks after SVC Pay.')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
Every command takes --json and --help. Secrets come from the environment (SVC_DATABASE_URL, SVC_KEY_PEPPER,
SVC_MASTER_KEYS), never from the command line. The merchant's commands listen, trigger, events and refund need
SVC_SECRET_KEY alone, the buyer's command pay needs SVC_AGENT_KEY. Exit codes: 0 done, 1 failed, 64 called wrongly.

Examples:
  $ ${COMMAND} migrate
  $ ${COMMAND} accounts create --name "A shop"
  $ ${COMMAND} doctor`,
    );
  for (const make of [
    initCommand,
    migrateCommand,
    startCommand,
    operatorsCommand,
    peopleCommand,
    accountsCommand,
    keysCommand,
    tokensCommand,
    payoutsCommand,
    paymentsCommand,
    contractsCommand,
    walletCommand,
    relayersCommand,
    tokenLedgersCommand,
    abuseCommand,
    denyCommand,
    privacyCommand,
    auditCommand,
    archiveCommand,
    ledgerCommand,
    overviewCommand,
    costCommand,
    exportCommand,
    statementCommand,
    recoverCommand,
    doctorCommand,
    rehearseCommand,
    listenCommand,
    triggerCommand,
    eventsCommand,
    refundCommand,
    payCommand,
  ]) {
    program.addCommand(make(surroundings));
  }
  return program;
}

/** All commands of the tree, parents before children. */
export function allCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}
