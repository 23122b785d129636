// Chain, database, history and the receiver's log, each read raw, against every promise. Imports nothing of what it checks.
import { createAskChain } from './ask-chain.ts';
import { type CaseFile, isSuccess, openCase, type Violation } from './case-file.ts';
import { readChain } from './chain-evidence.ts';
import { checkBooks } from './check-books.ts';
import { checkClients } from './check-clients.ts';
import { checkDirect } from './check-direct.ts';
import { checkEvents } from './check-events.ts';
import { checkEvmRefunds } from './check-evm-refunds.ts';
import { checkLanes } from './check-lanes.ts';
import { checkLogs } from './check-logs.ts';
import { checkMoney } from './check-money.ts';
import { countRefunds, type RefundFigures } from './check-refunds.ts';
import { checkTold } from './check-told.ts';
import { readRecord } from './record-evidence.ts';
import { readRun } from './run-evidence.ts';
import { tellHistory } from './tell-history.ts';

export type PaymentsVerdict = {
  readonly completed: number;
  readonly upto: number;
  /** To a merchant's own wallet, without the processor. */
  readonly direct: number;
  /** Of these, submitted by strangers. */
  readonly foreign: number;
  /** Payments that the chain took back and that completed again. */
  readonly reversedPayments: number;
  readonly refunds: RefundFigures;
  readonly answers: number;
  readonly arrivals: number;
  /** Requests that went unanswered and were sent again to the next API. */
  readonly repeated: number;
  readonly violations: readonly Violation[];
  /** Of the violated intent with the fewest moments. */
  readonly shortest: readonly string[];
};

const RULES = [checkMoney, checkDirect, checkBooks, checkLanes, checkEvents, checkTold, checkEvmRefunds, checkLogs];

export async function checkPayments(
  databaseUrl: string,
  receiverLog: string,
  history: string,
): Promise<PaymentsVerdict> {
  const run = readRun(history, receiverLog);
  const record = await readRecord(databaseUrl);
  const { rpcUrl, processor, token, relayers, wallets = [], minted } = run.setting;
  const parties = record.entries.filter(({ asset }) => asset !== 'native').map(({ party }) => party);
  const owners = [...new Set([...parties, ...Object.keys(minted), processor])];
  const chain = await readChain(createAskChain(rpcUrl), { processor, token, relayers, wallets, owners });
  const file = openCase(run, record, chain);
  const rules = run.setting.apis > 1 ? [...RULES, checkClients] : RULES;
  const violations = rules.flatMap((rule) => rule(file));
  return {
    completed: record.payments.filter((payment) => isSuccess(file, payment)).length,
    refunds: countRefunds(file),
    direct: chain.direct.length,
    foreign: countForeign(file),
    upto: run.journeys.filter(({ upto }) => upto).length,
    reversedPayments: file.reversedPayments.size,
    answers: run.told.length,
    arrivals: run.arrivals.length,
    repeated: run.calls.filter(({ attempt }) => attempt > 0).length,
    violations,
    shortest: shortestOf(file, violations),
  };
}

function countForeign({ chain }: CaseFile): number {
  const own = new Set(chain.transactions.map(({ hash }) => hash));
  return chain.direct.filter(({ transaction }) => !own.has(transaction)).length;
}

function shortestOf(file: CaseFile, violations: readonly Violation[]): readonly string[] {
  const intents = [...new Set(violations.flatMap(({ intent }) => intent ?? []))].slice(0, MOST_TOLD);
  const [shortest] = intents
    .map((intent) => [`intent ${intent}`, ...tellHistory(file, intent)])
    .toSorted((one, other) => one.length - other.length);
  return shortest ?? [];
}

const MOST_TOLD = 200;
