// The rehearsal from the first question to the report. Everything that was begun is in the journal; whatever ends the run, what
// is open is ended or named.
import { agree, type Check, holds } from './check.ts';
import { checkAgain, checkFinality, FINAL, type FinalityOptions } from './check-finality.ts';
import { checkPayment } from './check-payment.ts';
import { type CleanedUp, cleanUp } from './clean-up.ts';
import { type CollectOptions, collectAgain, collectFacts, type ExportStart, exportStartOf } from './collect-facts.ts';
import type { PaymentFlow } from './journal.ts';
import { type FlowAmounts, type PaidFlow, payFlow } from './pay-flow.ts';
import type { PaymentFacts } from './payment-facts.ts';
import { FlowFailed, type Rehearsal, Stopped } from './rehearsal.ts';
import type { FlowReport } from './report.ts';

export type RunOptions = {
  readonly flows: readonly PaymentFlow[];
  readonly amounts: Readonly<Record<PaymentFlow, FlowAmounts>>;
  /** For events, deliveries, books and receipts. */
  readonly patienceMs: number;
  readonly finality: FinalityOptions;
};

export type RunResult = {
  readonly flows: readonly FlowReport[];
  readonly checks: readonly Check[];
  readonly cleanedUp: readonly CleanedUp[];
  readonly stopped: boolean;
};

type Seen = { readonly facts: PaymentFacts; readonly minedAtMs: number; readonly collect: CollectOptions };
type Made = { readonly report: FlowReport; readonly seen?: Seen };

export async function runRehearsal(rehearsal: Rehearsal, options: RunOptions): Promise<RunResult> {
  const { print, chain, payer, network } = rehearsal;
  const token = network.token.address;
  const balance = async (at: bigint | 'latest') => (await chain.balances(token, [payer.address], at))[0] ?? 0n;
  const made: Made[] = [];
  let cleanedUp: readonly CleanedUp[] = [];
  // What could not be ended is tried again at the end.
  const endWhatIsOpen = async () => {
    const before = cleanedUp.filter(({ how }) => how !== 'open');
    cleanedUp = [...before, ...(await cleanUp(rehearsal))];
  };
  let stopped = false;
  let checks: readonly Check[] = [];
  try {
    const starts = await startsOf(rehearsal, options.flows);
    const before = await balance('latest');
    for (const flow of options.flows) {
      print(`${flow} …\n`);
      made.push(await makeFlow(rehearsal, flow, options, starts.get(rehearsal.merchantOf(flow)) ?? NOWHERE));
      print(`${flow}: ${made.at(-1)?.report.ok === true ? 'green' : 'RED'}\n`);
    }
    checks = [await checkSpent(made, before, balance)];
    await finishFlows(rehearsal, made, options.finality, endWhatIsOpen);
  } catch (problem) {
    if (!(problem instanceof Stopped))
      checks = [...checks, holds('the rehearsal ran to its end', false, said(problem))];
    stopped = problem instanceof Stopped;
  } finally {
    await endWhatIsOpen();
  }
  return { flows: made.map(({ report }) => report), checks, cleanedUp, stopped };
}

const NOWHERE: ExportStart = { payments: undefined, ledger: undefined };

/** Where the exports of each account end now. */
async function startsOf(rehearsal: Rehearsal, flows: readonly PaymentFlow[]) {
  const starts = new Map<unknown, ExportStart>();
  for (const merchant of new Set(flows.map(rehearsal.merchantOf)))
    starts.set(merchant, await exportStartOf(merchant.api.exports));
  return starts;
}

async function makeFlow(
  rehearsal: Rehearsal,
  flow: PaymentFlow,
  { amounts, patienceMs }: RunOptions,
  start: ExportStart,
): Promise<Made> {
  const { signedAtomic, chargedAtomic } = amounts[flow];
  const common = { flow, signed: signedAtomic.toString(), charged: chargedAtomic.toString() };
  let paid: PaidFlow | undefined;
  const collect = { start, patienceMs };
  try {
    paid = await payFlow(rehearsal, flow, amounts[flow]);
    const facts = await collectFacts(rehearsal, paid.asked, collect);
    const { receipt, payment } = facts;
    const checks = checkPayment(facts);
    const report: FlowReport = {
      ...common,
      ok: checks.every(({ ok }) => ok),
      paymentIntentId: paid.asked.paymentIntentId,
      payTo: paid.asked.payTo,
      paymentId: payment.id,
      transactionId: receipt.transactionId,
      gas: {
        used: receipt.gasUsed.toString(),
        cost: receipt.costAtomic.toString(),
        block: receipt.blockNumber.toString(),
      },
      times: paid.times,
      checks,
    };
    return { report, seen: { facts, minedAtMs: performance.now(), collect } };
  } catch (problem) {
    if (problem instanceof Stopped || rehearsal.stopping.aborted) throw new Stopped('the rehearsal was stopped');
    const seen = paid && { paymentIntentId: paid.asked.paymentIntentId, payTo: paid.asked.payTo, times: paid.times };
    return { report: { ...common, ...seen, ok: false, problem: said(problem), checks: [] } };
  }
}

/** Finality may take an hour: what is open is ended before, so that no cap stays open for that long. */
export async function finishFlows(
  rehearsal: Rehearsal,
  made: Made[],
  finality: FinalityOptions,
  endWhatIsOpen: () => Promise<void>,
): Promise<void> {
  await endWhatIsOpen();
  for (const [index, one] of made.entries()) made[index] = await withFinality(rehearsal, one, finality);
}

async function withFinality(rehearsal: Rehearsal, made: Made, options: FinalityOptions): Promise<Made> {
  const { report, seen } = made;
  if (seen === undefined || options.patienceMs === 0) return made;
  const { facts, minedAtMs, collect } = seen;
  const final = await checkFinality(rehearsal, facts, options);
  const isFinal = final.every(({ ok, id }) => ok || id !== FINAL);
  const again = isFinal ? checkAgain(await collectAgain(rehearsal, facts, collect)) : [];
  const checks = [...report.checks, ...final, ...again];
  const times = report.times && { ...report.times, finalMs: Math.round(performance.now() - minedAtMs) };
  return { ...made, report: { ...report, checks, ok: checks.every(({ ok }) => ok), ...(times && { times }) } };
}

/** Over all payments the payer has lost what was charged, and nothing else. */
async function checkSpent(
  made: readonly Made[],
  before: bigint,
  balance: (at: bigint) => Promise<bigint>,
): Promise<Check> {
  const paid = made.filter(({ seen }) => seen !== undefined);
  const charged = paid.reduce((sum, { report }) => sum + BigInt(report.charged), 0n);
  if (paid.length < made.length)
    return holds('payer lost what was charged', false, 'not every payment was made: see above');
  // A node behind the others would call an older balance the latest.
  const last = paid.reduce(
    (most, { seen }) => (seen && seen.facts.receipt.blockNumber > most ? seen.facts.receipt.blockNumber : most),
    0n,
  );
  return agree('payer lost what was charged', { charged, balance: before - (await balance(last)) });
}

function said(problem: unknown): string {
  if (problem instanceof FlowFailed) return problem.message;
  return problem instanceof Error ? `${problem.name}: ${problem.message}` : 'no reason given';
}
