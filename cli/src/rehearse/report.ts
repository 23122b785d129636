// The report of a rehearsal: JSON for programs, Markdown for people. Neither has a key, a client secret or the provider's URL.
import type { Check } from './check.ts';
import { WEBHOOKS } from './check-payment.ts';
import type { CleanedUp } from './clean-up.ts';
import { FLOWS, type PaymentFlow } from './journal.ts';
import type { FlowTimes } from './pay-flow.ts';
import { printUnits } from './units.ts';

export type FlowReport = {
  readonly flow: PaymentFlow;
  readonly ok: boolean;
  /** Why the flow ended before its checks. */
  readonly problem?: string;
  readonly paymentIntentId?: string;
  readonly paymentId?: string;
  readonly transactionId?: string;
  readonly payTo?: string;
  /** Smallest units. */
  readonly signed: string;
  readonly charged: string;
  readonly gas?: { readonly used: string; readonly cost: string; readonly block: string };
  readonly times?: FlowTimes & { readonly finalMs?: number };
  readonly checks: readonly Check[];
};

export type RehearsalReport = {
  readonly rehearsal: 1;
  readonly ok: boolean;
  readonly run: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly api: string;
  readonly network: string;
  readonly networkName: string;
  readonly provider: string;
  readonly token: { readonly shortcode: string; readonly address: string; readonly decimals: number };
  readonly gasSymbol: string;
  readonly gasDecimals: number;
  readonly payer: string;
  /**
   * Smallest units: the limit, and what every run in the folder signed for, without signatures that have expired unused.
   */
  readonly maxSpend: string;
  readonly spent: string;
  readonly flows: readonly FlowReport[];
  /** Checks over the whole rehearsal. */
  readonly checks: readonly Check[];
  readonly cleanedUp: readonly CleanedUp[];
  /** Sentences: what a green report says nothing about. */
  readonly notChecked: readonly string[];
  readonly stopped: boolean;
  readonly recording: { readonly file: string; readonly recorded: number; readonly repeated: number };
};

const mark = (ok: boolean): string => (ok ? 'green' : '**RED**');
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

type Checked = {
  readonly endedAt: string;
  /** How long finality was waited for. */
  readonly waitMs: number;
  readonly flows: readonly FlowReport[];
};

export function notCheckedOf({ endedAt, waitMs, flows }: Checked): readonly string[] {
  const checked = flows.filter(({ checks }) => checks.length > 0);
  const leftOut = FLOWS.filter((flow) => checked.every((one) => one.flow !== flow));
  const silent = checked.filter(({ checks }) => checks.every(({ id }) => id !== WEBHOOKS));
  const listed = (names: readonly string[]) => names.join(', ');
  return [
    ...(waitMs === 0
      ? ['Finality: --wait is 0. A payment that a reorg undoes, a second booking or a second event is not seen.']
      : []),
    ...(leftOut.length === 0 ? [] : [`Payments that were left out or not made: ${listed(leftOut)}.`]),
    ...(silent.length === 0
      ? []
      : [`Webhooks of ${listed(silent.map(({ flow }) => flow))}: the account has no endpoint that takes the events.`]),
    `The statement of ${endedAt.slice(0, 10)}: it can be read from ten minutes after midnight UTC.`,
  ];
}

export function reportPage(report: RehearsalReport): string {
  const { token, flows, cleanedUp, recording } = report;
  const coins = (atomic: string) => `${printUnits(BigInt(atomic), token.decimals)} ${token.shortcode}`;
  return [
    `# Rehearsal on ${report.networkName}: ${report.ok ? 'green' : 'RED'}`,
    '',
    '| | |',
    '|---|---|',
    `| run | ${report.run}, ${report.startedAt} to ${report.endedAt}${report.stopped ? ', stopped' : ''} |`,
    `| API | ${cell(report.api)} |`,
    `| network | ${report.network}, provider ${cell(report.provider)} |`,
    `| token | ${token.shortcode}, ${token.address} |`,
    `| payer | ${report.payer} |`,
    `| signed for, all runs in the folder | ${coins(report.spent)} of at most ${coins(report.maxSpend)} |`,
    `| recorded | ${recording.file}: ${recording.recorded} requests, ${recording.repeated} repeats left out |`,
    '',
    ...flows.flatMap((flow) => flowLines(flow, report, coins)),
    ...(report.checks.length === 0 ? [] : ['## Whole rehearsal', '', ...checkLines(report.checks), '']),
    ...(cleanedUp.length === 0 ? [] : ['## Left open by a run, and ended', '', ...cleanedUp.map(cleanedLine), '']),
    '## Not checked',
    '',
    ...report.notChecked.map((sentence) => `- ${sentence}`),
    '',
  ].join('\n');
}

function flowLines(flow: FlowReport, report: RehearsalReport, coins: (atomic: string) => string): readonly string[] {
  const { times, gas } = flow;
  return [
    `## ${flow.flow}: ${flow.ok ? 'green' : 'RED'}`,
    '',
    `- asked: ${coins(flow.charged)}${flow.signed === flow.charged ? '' : ` of a cap of ${coins(flow.signed)}`}`,
    ...(flow.payTo === undefined ? [] : [`- signed to: ${flow.payTo}`]),
    ...(flow.paymentIntentId === undefined ? [] : [`- intent: ${flow.paymentIntentId}`]),
    ...(flow.paymentId === undefined ? [] : [`- payment: ${flow.paymentId}`]),
    ...(flow.transactionId === undefined ? [] : [`- transaction: ${flow.transactionId}`]),
    ...(gas === undefined
      ? []
      : [
          `- gas: ${gas.used}, ${printUnits(BigInt(gas.cost), report.gasDecimals)} ${report.gasSymbol}, block ${gas.block}`,
        ]),
    ...(times === undefined ? [] : [`- times: ${timesText(times)}`]),
    ...(flow.problem === undefined ? [] : [`- **ended early**: ${flow.problem}`]),
    '',
    ...(flow.checks.length === 0 ? [] : [...checkLines(flow.checks), '']),
  ];
}

function timesText({ intentMs, paidMs, finalMs }: NonNullable<FlowReport['times']>): string {
  const final = finalMs === undefined ? '' : `, final after ${finalMs} ms`;
  return `intent in ${intentMs} ms, completed ${paidMs} ms after the signature or charge${final}`;
}

function checkLines(checks: readonly Check[]): readonly string[] {
  const rows = checks.map(({ id, ok, seen }) => `| ${mark(ok)} | ${cell(id)} | ${cell(seen)} |`);
  return ['| | Check | Seen |', '|---|---|---|', ...rows];
}

const cleanedLine = ({ flow, paymentIntentId, how, said }: CleanedUp): string =>
  `- ${flow} ${paymentIntentId}: ${how === 'open' ? '**still open**' : how}; ${said}.`;
