// No payment lost, none twice, one success per intent, and statuses that are true to the chain's own logs.
import { type CaseFile, isSuccess, type Violation } from './case-file.ts';
import type { SettledLog } from './chain-evidence.ts';
import type { PaymentRow } from './record-evidence.ts';

export function checkMoney(file: CaseFile): readonly Violation[] {
  return [
    ...file.record.intents.flatMap(({ id }) => checkIntent(file, id)),
    ...file.record.payments.flatMap((payment) => checkPayment(file, payment)),
    ...checkStrays(file),
    ...checkPulls(file),
    ...checkJourneys(file),
  ];
}

function checkIntent(file: CaseFile, id: string): Violation[] {
  const { intentOf, paymentsOfIntent, settledOfCode } = file;
  const intent = intentOf.get(id);
  if (intent === undefined) return [];
  const payments = paymentsOfIntent.get(id) ?? [];
  const completed = payments.filter((payment) => isSuccess(file, payment));
  const settled = settledOfCode.get(intent.code) ?? [];
  const wrong = (is: boolean, rule: string, text: string): Violation[] => (is ? [{ rule, intent: id, text }] : []);
  return [
    ...wrong(settled.length > 1, 'none twice', `settled ${settled.length} times on chain`),
    ...wrong(completed.length > 1, 'one success per intent', `${completed.length} completed payments`),
    ...wrong(
      (intent.status === 'completed') !== (settled.length === 1),
      'status is true',
      `the intent is ${intent.status}, the chain settled it ${settled.length} times`,
    ),
    ...wrong(
      intent.status === 'completed' && intent.named !== completed[0]?.id,
      'status is true',
      `completed, and names ${intent.named} instead of ${completed[0]?.id}`,
    ),
    ...wrong(intent.status === 'processing', 'none lost', 'still processing when all was quiet'),
  ];
}

function checkPayment(file: CaseFile, payment: PaymentRow): Violation[] {
  const { intentOf, settledOfCode } = file;
  const wrong = (is: boolean, rule: string, text: string): Violation[] =>
    is ? [{ rule, intent: payment.intent, text: `${payment.id}: ${text}` }] : [];
  const logs = settledOfCode.get(intentOf.get(payment.intent)?.code ?? '') ?? [];
  const log = logs.find(({ payer }) => payer === payment.payer);
  if (!isSuccess(file, payment)) {
    return [
      ...wrong(payment.status === 'pending', 'none lost', `pending (${payment.settlement}) when all was quiet`),
      ...wrong(
        log !== undefined && ['failed', 'canceled'].includes(payment.status),
        'status is true',
        `${payment.status}, and its money moved`,
      ),
    ];
  }
  if (log === undefined) return wrong(true, 'status is true', 'completed, and the chain has no log of it');
  return wrong(!agrees(payment, log), 'status is true', `${JSON.stringify(payment)} is not ${told(log)}`);
}

function agrees(payment: PaymentRow, log: SettledLog): boolean {
  return (
    payment.transaction === log.transaction &&
    payment.place === `${log.transaction}:${log.logIndex}` &&
    payment.cap === String(log.cap) &&
    payment.paid === String(log.settled) &&
    payment.settled === String(log.settled) &&
    payment.fee === String(log.fee) &&
    payment.refund === String(log.cap - log.settled) &&
    log.settled > 0n &&
    log.settled <= log.cap
  );
}

const told = (log: SettledLog) =>
  JSON.stringify(log, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

function checkStrays({ record, settledOfCode }: CaseFile): Violation[] {
  const known = new Set(record.intents.map(({ code }) => code));
  return [...settledOfCode.keys()]
    .filter((code) => !known.has(code))
    .map((code) => ({ rule: 'none twice', text: `the chain settled ${code}, which is nobody's intent` }));
}

/** Every pull of a payer's money belongs to one settlement, at its own cap: none is pulled twice. */
function checkPulls({ chain, run, record }: CaseFile): Violation[] {
  const { processor } = run.setting;
  const keyOf = (payer: string, cap: bigint, transaction: string) => `${payer} ${cap} ${transaction}`;
  const pulls = chain.transfers.filter(({ to }) => to === processor);
  const settled = Map.groupBy([...chain.settled, ...chain.received], (log) =>
    keyOf(log.payer, log.cap, log.transaction),
  );
  const pulled = Map.groupBy(pulls, (log) => keyOf(log.from, log.value, log.transaction));
  return [...new Set([...settled.keys(), ...pulled.keys()])].flatMap((key) => {
    const [logs, transfers] = [settled.get(key) ?? [], pulled.get(key) ?? []];
    if (logs.length === transfers.length) return [];
    const intent = record.intents.find(({ code }) => code === logs[0]?.code)?.id;
    const text = `${key}: pulled ${transfers.length} times, settled ${logs.length} times`;
    return [{ rule: 'none twice', text, ...(intent !== undefined && { intent }) }];
  });
}

/** What a client set out to pay is paid: once, and for the amount that was asked for. */
function checkJourneys(file: CaseFile): Violation[] {
  const { run, intentOf, paymentsOfIntent } = file;
  return run.journeys.flatMap(({ intent, nonce, settledAmount, journey }) => {
    const row = intentOf.get(intent);
    const wrong = (text: string): Violation[] => [{ rule: 'none lost', intent, text: `journey ${journey}: ${text}` }];
    if (row === undefined) return wrong('its intent is gone');
    if (run.gaveUp.includes(journey)) return wrong(`never heard how it ended; the intent is ${row.status}`);
    if (row.status !== 'completed') return wrong(`ended as ${row.status}`);
    const own = (paymentsOfIntent.get(intent) ?? []).find((payment) => payment.nonce === nonce);
    return own !== undefined && isSuccess(file, own) && own.paid !== settledAmount
      ? wrong(`${own.paid} taken, not ${settledAmount}`)
      : [];
  });
}
