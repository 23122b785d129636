// The report of a rehearsal: JSON for programs, Markdown for people. Neither has a key, a client secret or the provider's URL.
import type { Check } from './check.ts';
import type { CleanedUp } from './clean-up.ts';
import type { PaymentFlow } from './journal.ts';
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
  /** Smallest units: the limit, and what was signed for by every run in the folder. */
  readonly maxSpend: string;
  readonly spent: string;
  readonly flows: readonly FlowReport[];
  /** Checks over the whole rehearsal. */
  readonly checks: readonly Check[];
  readonly cleanedUp: readonly CleanedUp[];
  readonly stopped: boolean;
  readonly recording: { readonly file: string; readonly recorded: number; readonly repeated: number };
};

const mark = (ok: boolean): string => (ok ? 'green' : '**RED**');
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

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
    `| signed for | ${coins(report.spent)} of at most ${coins(report.maxSpend)} |`,
    `| recorded | ${recording.file}: ${recording.recorded} requests, ${recording.repeated} repeats left out |`,
    '',
    ...flows.flatMap((flow) => flowLines(flow, report, coins)),
    ...(report.checks.length === 0 ? [] : ['## Whole rehearsal', '', ...checkLines(report.checks), '']),
    ...(cleanedUp.length === 0 ? [] : ['## Left open by a run, and ended', '', ...cleanedUp.map(cleanedLine), '']),
    '## Not checked',
    '',
    `- The statement of ${report.endedAt.slice(0, 10)}: it can be read from ten minutes after midnight UTC.`,
    '- Webhooks, where the account has no endpoint that takes the event: "0 succeeded" above.',
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
