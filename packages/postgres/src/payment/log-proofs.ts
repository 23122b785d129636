// The logs that complete payments. A log proves one thing for ever; a reorg that removes the log removes its row.
import { isoTime, type LogProof, type PaymentResultDraft } from '@svc-pay/core';
import type pg from 'pg';
import { insertText } from '../database/insert-text.ts';
import { columnArrays } from '../database/statement-parameters.ts';

/** SQL expression of each value. Without a payment it is an unattributed receipt, with its reason and the log. */
export type NewProof = {
  readonly network: string;
  readonly transaction_id: string;
  readonly log_index: string;
  readonly mode: string;
  readonly account_id: string;
  readonly payment_id: string;
  /** The chain reader writes it of a log that it has read. */
  readonly read: string;
  readonly created_at: string;
};

/** A log that proves something already is left out: the caller counts the rows, and `requireProofs` tells whose it is. */
export function insertProofs(proof: NewProof, from: string): string {
  return `${insertText('svc.log_proofs', { ...proof }, from)}
      on conflict do nothing`;
}

const PROVEN = columnArrays<LogProof>({
  network: ['text', ({ network }) => network],
  transaction_id: ['text', ({ transactionId }) => transactionId],
  log_index: ['integer', ({ logIndex }) => logIndex],
});

const FIND = {
  name: 'find-log-proofs',
  text: `
    select known.network, known.transaction_id, known.log_index, known.account_id, known.mode, known.payment_id,
      known.refund_id, known.reason
    from ${PROVEN.unnest('asked')}
    join svc.log_proofs known
      on known.network = asked.network and known.transaction_id = asked.transaction_id
        and known.log_index = asked.log_index`,
};

export type ProvenRow = {
  readonly network: string;
  readonly transaction_id: string;
  readonly log_index: number;
  /** Null where there is no payment. */
  readonly account_id: string | null;
  readonly mode: string;
  /** Null: the log is an unattributed receipt. */
  readonly payment_id: string | null;
  /** The refund of that payment which the log proves. Null: the log proves the payment. */
  readonly refund_id: string | null;
  readonly reason: string | null;
};

export async function findProofs(
  client: pg.ClientBase | pg.Pool,
  logs: readonly LogProof[],
): Promise<readonly ProvenRow[]> {
  if (logs.length === 0) return [];
  const { rows } = await client.query<ProvenRow>({ ...FIND, values: PROVEN.values(logs) });
  return rows;
}

/** Throws, naming both payments, when a log of these results proves something else. `written` is the number of new rows. */
export async function requireProofs(
  client: pg.ClientBase,
  results: readonly Pick<PaymentResultDraft, 'after' | 'proof'>[],
  written: number,
): Promise<void> {
  const proven = results.flatMap(({ proof, after }) =>
    proof === null ? [] : [{ proof, paymentId: after.payment.id }],
  );
  if (written === proven.length) return;
  const known = await findProofs(
    client,
    proven.map(({ proof }) => proof),
  );
  const taken = known.find((row) => !proven.some((one) => isOf(row, one)));
  const wanted = proven
    .filter(({ proof }) => taken === undefined || isAt(taken, proof))
    .map(({ paymentId }) => paymentId);
  const holder =
    taken?.payment_id ?? (taken === undefined ? 'another of these' : `an unattributed receipt (${taken.reason})`);
  throw new Error(
    `payment ${wanted.join(', ')} would be proven by a log that proves ${holder}: ${taken?.transaction_id}:${taken?.log_index}`,
  );
}

type Proven = { readonly proof: LogProof; readonly paymentId: string };

const isAt = (row: ProvenRow, { transactionId, logIndex }: LogProof) =>
  row.transaction_id === transactionId && row.log_index === logIndex;
const isOf = (row: ProvenRow, { proof, paymentId }: Proven) => isAt(row, proof) && row.payment_id === paymentId;

const DELETE = {
  name: 'delete-log-proofs',
  text: `
    delete from svc.log_proofs known using ${PROVEN.unnest('gone')}
    where known.network = gone.network and known.transaction_id = gone.transaction_id
      and known.log_index = gone.log_index and known.payment_id is not null`,
};

/** Unattributed receipts stay: they are stored when their block is final. */
export async function deleteProofs(client: pg.ClientBase, logs: readonly LogProof[]): Promise<void> {
  if (logs.length === 0) return;
  await client.query({ ...DELETE, values: PROVEN.values(logs) });
}

export type OwnedProof = LogProof & {
  readonly accountId: string;
  readonly mode: string;
  readonly paymentId: string;
  /** The chain reader has read the log. */
  readonly read: boolean;
  readonly nowMs: number;
};

const OWNED = columnArrays<OwnedProof>({
  network: ['text', ({ network }) => network],
  transaction_id: ['text', ({ transactionId }) => transactionId],
  log_index: ['integer', ({ logIndex }) => logIndex],
  mode: ['text', ({ mode }) => mode],
  account_id: ['text', ({ accountId }) => accountId],
  payment_id: ['text', ({ paymentId }) => paymentId],
  read: ['boolean', ({ read }) => read],
  created_at: ['timestamptz', ({ nowMs }) => isoTime(nowMs)],
});
const WRITE = { name: 'write-log-proofs', text: OWNED.insertInto('svc.log_proofs') };

/** For rows that are written by themselves. Fails on a log that proves something else. */
export async function writeProofs(client: pg.ClientBase, proofs: readonly OwnedProof[]): Promise<void> {
  if (proofs.length === 0) return;
  await client.query({ ...WRITE, values: OWNED.values(proofs) });
}
