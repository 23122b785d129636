// The token ledger, the database, the history and the receiver's log, each read raw, against every promise. Imports nothing
// of what it checks.
import { isSuccess, openCase, type Violation } from '../case-file.ts';
import type { ChainEvidence, SettledLog } from '../chain-evidence.ts';
import { checkEvents } from '../check-events.ts';
import { checkLogs } from '../check-logs.ts';
import { countRefunds, type RefundFigures } from '../check-refunds.ts';
import { linesOf } from '../read-lines.ts';
import { type RecordEvidence, readRecord } from '../record-evidence.ts';
import { readRun } from '../run-evidence.ts';
import { tellHistory } from '../tell-history.ts';
import { checkIcpBooks } from './check-icp-books.ts';
import { checkIcpEvents } from './check-icp-events.ts';
import { checkIcpMoney } from './check-icp-money.ts';
import { checkIcpRefunds } from './check-icp-refunds.ts';
import { checkIcpTold } from './check-icp-told.ts';
import { codeIn, type IcpCase, type IcpSetting, type NotedIntent, type Notified, readIcpRecord } from './icp-case.ts';
import { type RawBlock, transfersIn } from './ledger-evidence.ts';

export type IcpVerdict = {
  readonly completed: number;
  readonly mismatched: number;
  /** Money with a memo of ours that pays no intent. */
  readonly receipts: number;
  /** Transfers on the ledger that name an intent. */
  readonly transfers: number;
  readonly refunds: RefundFigures;
  readonly answers: number;
  readonly arrivals: number;
  readonly violations: readonly Violation[];
  /** Of the first violated intent. */
  readonly shortest: readonly string[];
};

export async function checkIcp(
  databaseUrl: string,
  receiverLog: string,
  history: string,
  blocks: readonly RawBlock[],
): Promise<IcpVerdict> {
  const run = readRun(history, receiverLog);
  const setting = run.setting as unknown as IcpSetting;
  const record = await readRecord(databaseUrl);
  const lines = linesOf<{ readonly what: string }>(history);
  const of = (what: string): readonly unknown[] => lines.filter((line) => line.what === what);
  const file = openCase(run, record, chainOf(record));
  const own: IcpCase = {
    file,
    setting,
    transfers: transfersIn(setting.token, blocks),
    own: await readIcpRecord(databaseUrl),
    intents: of('intent') as readonly NotedIntent[],
    notified: of('notified') as readonly Notified[],
  };
  const violations = [
    ...checkIcpMoney(own),
    ...checkIcpBooks(own),
    ...checkIcpEvents(own),
    ...checkEvents(file),
    ...checkIcpTold(own),
    ...checkIcpRefunds(own),
    ...checkLogs(file),
  ];
  const intent = violations.find((violation) => violation.intent !== undefined)?.intent;
  const completed = record.payments.filter((payment) => isSuccess(file, payment)).length;
  return {
    completed,
    mismatched: record.payments.length - completed,
    receipts: own.own.proofs.filter(({ payment }) => payment === null).length,
    transfers: own.transfers.filter((transfer) => codeIn(transfer) !== undefined).length,
    refunds: countRefunds(file),
    answers: own.notified.length,
    arrivals: run.arrivals.length,
    violations,
    shortest: intent === undefined ? [] : [`intent ${intent}`, ...tellHistory(file, intent)],
  };
}

/** What other chains tell is nothing here. Payments that their intent does not name are odd, whatever became of them. */
function chainOf({ payments, intents }: RecordEvidence): ChainEvidence {
  const named = new Set(intents.filter(({ status }) => status === 'completed').map(({ named: id }) => id));
  const odd = payments.filter(({ id }) => !named.has(id));
  return {
    settled: [],
    received: odd.map(({ place }): SettledLog => oddAt(place ?? '')),
    direct: [],
    refunds: [],
    transfers: [],
    transactions: [],
    nonces: new Map(),
    balanceOf: () => 0n,
  };
}

function oddAt(place: string): SettledLog {
  const end = place.lastIndexOf(':');
  const nothing = { code: '', payer: '', token: '', cap: 0n, settled: 0n, fee: 0n, blockNumber: 0 };
  return {
    ...nothing,
    transaction: place.slice(0, end),
    logIndex: Number(place.slice(end + 1)),
  };
}
