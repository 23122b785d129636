// None lost, none twice, statuses as the chain has it, and nothing on the chain that was not stored before it was sent.
import { isSuccess, type Violation } from '../case-file.ts';
import { base58 } from './base58.ts';
import { refundIn, type SolanaCase } from './solana-case.ts';

/** The memo of a payment names its intent. */
const MEMO = /svc:(pi_[0-9A-Za-z]+)/;
const OVER: ReadonlySet<string> = new Set(['finalized', 'replaced', 'dropped']);

export function checkSolanaMoney(own: SolanaCase): readonly Violation[] {
  const { file, chain, unstored } = own;
  const { record, run, intentOf, paymentsOfIntent } = file;
  const storedOf = new Map(record.signed.map((signed) => [signed.transaction, signed]));
  const batchOf = new Map(record.batches.map((batch) => [batch.id, batch]));
  const landedOf = new Map(chain.landed.map((landed) => [landed.id, landed]));
  const intentIn = (id: string) => MEMO.exec(storedOf.get(id)?.raw.toString('latin1') ?? '')?.[1];
  const paidOf = Map.groupBy(
    chain.landed.filter(({ id, succeeded }) => succeeded && refundIn(own, id) === undefined),
    ({ id }) => intentIn(id) ?? 'nobody',
  );
  const wrong = (is: boolean, rule: string, text: string, intent?: string): Violation[] =>
    is ? [{ rule, text, ...(intent !== undefined && { intent }) }] : [];
  return [
    ...wrong(unstored > 0, 'stored first', `${unstored} sends of bytes that were not stored`),
    ...chain.landed.flatMap(({ id }) => {
      const stored = storedOf.get(id);
      const bytes = stored && base58(stored.raw.subarray(1, 65));
      return wrong(bytes !== id, 'stored first', `${id} landed, and the database has ${bytes ?? 'nothing'} of it`);
    }),
    ...record.intents.flatMap(({ id, status, named }) => {
      const paid = paidOf.get(id) ?? [];
      const payments = paymentsOfIntent.get(id) ?? [];
      const completed = payments.filter((payment) => isSuccess(file, payment));
      return [
        ...wrong(paid.length > 1, 'none twice', `paid ${paid.length} times on chain`, id),
        ...wrong(completed.length > 1, 'none twice', `${completed.length} completed payments`, id),
        ...wrong(
          (status === 'completed') !== (paid.length === 1),
          'status is true',
          `${status}, paid ${paid.length} times`,
          id,
        ),
        ...wrong(
          status === 'completed' && named !== completed[0]?.id,
          'status is true',
          `completed, names ${named}`,
          id,
        ),
        ...wrong(status === 'processing', 'none lost', 'still processing when all was quiet', id),
      ];
    }),
    ...[...paidOf.keys()].flatMap((id) =>
      wrong(!intentOf.has(id), 'none twice', `the chain paid ${id}, nobody’s intent`),
    ),
    ...record.payments.flatMap((payment) => {
      const { id, intent, status, transaction, settlement, paid, settled } = payment;
      const success = isSuccess(file, payment);
      const landed = landedOf.get(transaction ?? '');
      const done = landed?.succeeded === true && intentIn(landed.id) === intent;
      return [
        ...wrong(status === 'pending', 'none lost', `${id} is pending (${settlement}) when all was quiet`, intent),
        ...wrong(success && !done, 'status is true', `${id} is completed, ${transaction} is not on chain`, intent),
        ...wrong(
          status === 'failed' && landed?.succeeded === true,
          'status is true',
          `${id} failed, and its money moved`,
          intent,
        ),
        ...wrong(success && paid !== settled, 'status is true', `${id}: ${paid} of ${settled}`, intent),
      ];
    }),
    ...record.batches.flatMap(({ id, status, transaction }) => [
      ...wrong(!OVER.has(status), 'none lost', `${id} is ${status} when all was quiet`),
      ...wrong(status === 'replaced' && landedOf.has(transaction), 'status is true', `${id} was given up, and landed`),
      ...wrong(
        status === 'finalized' && !landedOf.has(transaction),
        'status is true',
        `${id} is final, and not on chain`,
      ),
    ]),
    ...record.signed.flatMap(({ batch, transaction }) =>
      wrong(
        batchOf.get(batch)?.transaction !== transaction,
        'one transaction',
        `${batch} has more bytes than one transaction’s`,
      ),
    ),
    ...run.journeys.flatMap(({ intent, journey, settledAmount }) => {
      const status = intentOf.get(intent)?.status;
      const paid = (paymentsOfIntent.get(intent) ?? []).find((payment) => isSuccess(file, payment))?.paid;
      return [
        ...wrong(
          run.gaveUp.includes(journey),
          'none lost',
          `journey ${journey} never heard how it ended: ${status}`,
          intent,
        ),
        ...wrong(status !== 'completed', 'none lost', `journey ${journey} ended as ${status}`, intent),
        ...wrong(
          status === 'completed' && paid !== settledAmount,
          'none lost',
          `${paid} taken, not ${settledAmount}`,
          intent,
        ),
      ];
    }),
    ...wrong(
      run.gaveUp.length > 0 && run.journeys.length === 0,
      'none lost',
      `${run.gaveUp.length} clients gave up before they had an intent`,
    ),
  ];
}
