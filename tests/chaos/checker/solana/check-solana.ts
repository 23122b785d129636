// A Solana chain, the database, the history and the receiver's log, each read raw, against every promise. Imports nothing of
// what it checks.
import { type CaseFile, isSuccess, openCase, type Violation } from '../case-file.ts';
import type { ChainEvidence } from '../chain-evidence.ts';
import { checkEvents } from '../check-events.ts';
import { checkLogs } from '../check-logs.ts';
import { countRefunds, type RefundFigures } from '../check-refunds.ts';
import { checkTold } from '../check-told.ts';
import { linesOf } from '../read-lines.ts';
import { readRecord } from '../record-evidence.ts';
import { readRun } from '../run-evidence.ts';
import { tellHistory } from '../tell-history.ts';
import { checkSolanaBooks } from './check-solana-books.ts';
import { checkSolanaMoney } from './check-solana-money.ts';
import { checkSolanaRefunds } from './check-solana-refunds.ts';
import type { SolanaCase, SolanaSetting } from './solana-case.ts';
import { readSolana } from './solana-evidence.ts';

export type SolanaVerdict = {
  readonly completed: number;
  readonly failed: number;
  readonly landed: number;
  readonly refunds: RefundFigures;
  readonly answers: number;
  readonly arrivals: number;
  readonly violations: readonly Violation[];
  /** Of the first violated intent. */
  readonly shortest: readonly string[];
};

/** What other chains tell is nothing here: Solana has its own evidence. */
const NO_LOGS: ChainEvidence = {
  settled: [],
  received: [],
  direct: [],
  refunds: [],
  transfers: [],
  transactions: [],
  nonces: new Map(),
  balanceOf: () => 0n,
};

export async function checkSolana(databaseUrl: string, receiverLog: string, history: string): Promise<SolanaVerdict> {
  const run = readRun(history, receiverLog);
  const record = await readRecord(databaseUrl);
  const setting = run.setting as unknown as SolanaSetting;
  const sentBack = run.sentBack.map(({ transaction }) => transaction);
  const chain = await readSolana(setting.rpcUrl, setting.relayers, Object.values(setting.accounts), sentBack);
  const unstored = linesOf<{ readonly what: string }>(history).filter(({ what }) => what === 'sent unstored').length;
  const file: CaseFile = openCase(run, record, NO_LOGS);
  const own: SolanaCase = { file, setting, chain, unstored };
  const violations = [
    ...checkSolanaMoney(own),
    ...checkSolanaBooks(own),
    ...checkEvents(file),
    ...checkTold(file),
    ...checkSolanaRefunds(own),
    ...checkLogs(file),
  ];
  const intent = violations.find((violation) => violation.intent !== undefined)?.intent;
  return {
    completed: record.payments.filter((payment) => isSuccess(file, payment)).length,
    refunds: countRefunds(file),
    failed: record.payments.filter(({ status }) => status === 'failed').length,
    landed: chain.landed.length,
    answers: run.told.length,
    arrivals: run.arrivals.length,
    violations,
    shortest: intent === undefined ? [] : [`intent ${intent}`, ...tellHistory(file, intent)],
  };
}
