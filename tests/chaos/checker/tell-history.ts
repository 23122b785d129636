// The life of one intent in the order of time, told by clients, database, chain and receiver, with what struck meanwhile.
import type { CaseFile } from './case-file.ts';

type Moment = { readonly at: number; readonly text: string };

export function tellHistory(
  { run, record, chain, intentOf, paymentsOfIntent, settledOfCode }: CaseFile,
  intent: string,
): string[] {
  const payments = paymentsOfIntent.get(intent) ?? [];
  const events = record.events.filter((event) => event.intent === intent);
  const paymentIds = new Set(payments.map(({ id }) => id));
  const eventIds = new Set(events.map(({ id }) => id));
  const batches = new Set(payments.map(({ batch }) => batch));
  const minedAt = new Map(chain.transactions.map(({ hash, atMs }) => [hash, atMs]));
  const own: readonly Moment[] = [
    ...run.told
      .filter((told) => told.intent === intent)
      .map(({ at, call, http, status, error }) => ({
        at,
        text: `${call}: ${http ?? 'no answer'} ${status ?? ''} ${error ?? ''}`,
      })),
    ...payments.map(({ createdMs, id, status, settlement }) => ({
      at: createdMs,
      text: `${id} taken; ends ${status} (${settlement})`,
    })),
    ...run.refundsTold
      .filter(({ payment, call }) => paymentIds.has(payment) && call !== 'get')
      .map(({ at, call, http, refund, status, error }) => ({
        at,
        text: `refund, ${call}: ${http ?? 'no answer'} ${refund ?? ''} ${status ?? ''} ${error ?? ''}`,
      })),
    ...record.refunds
      .filter(({ payment }) => paymentIds.has(payment))
      .map(({ createdMs, id, kind, amount, status, transaction }) => ({
        at: createdMs,
        text: `${id} (${kind}) of ${amount} made; ends ${status} by ${transaction}`,
      })),
    ...record.batches
      .filter(({ id }) => batches.has(id))
      .map(({ atMs, id, nonce, status, relayer }) => ({
        at: atMs,
        text: `${id} signed by ${relayer} under ${nonce}; ends ${status}`,
      })),
    ...(settledOfCode.get(intentOf.get(intent)?.code ?? '') ?? []).map(({ transaction, logIndex, settled, cap }) => ({
      at: minedAt.get(transaction) ?? 0,
      text: `settled on chain in ${transaction}:${logIndex}, ${settled} of ${cap}`,
    })),
    ...events.map(({ atMs, id, type, sequence }) => ({ at: atMs, text: `event ${sequence} ${type} ${id}` })),
    ...run.arrivals
      .filter(({ event }) => eventIds.has(event))
      .map(({ at, event, mood }) => ({ at, text: `${event} arrived (${mood})` })),
  ];
  const times = own.map(({ at }) => at).filter((at) => at > 0);
  const [from, until] = [Math.min(...times), Math.max(...times)];
  const faults = run.faults
    .filter(({ fromMs, untilMs }) => untilMs >= from && fromMs <= until)
    .map(({ fromMs, kind }) => ({ at: fromMs, text: `FAULT ${kind}` }));
  return [...own, ...faults]
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, text }) => `${String(Math.round(at - from)).padStart(7)} ms  ${text}`);
}
