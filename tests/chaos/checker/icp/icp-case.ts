// All evidence of a run on the Internet Computer, put side by side.
import pg from 'pg';
import type { CaseFile, Violation } from '../case-file.ts';
import type { LedgerTransfer } from './ledger-evidence.ts';

export type IcpSetting = {
  readonly token: string;
  /** By account. */
  readonly secretKeys: Readonly<Record<string, string>>;
};

/** An intent as its client noted it. */
export type NotedIntent = {
  readonly journey: number;
  readonly intent: string;
  readonly kind: string;
  readonly account: string;
  /** Where it is to be paid, what it asks for and who alone may pay it; accounts in their textual form. */
  readonly merchant: string;
  readonly asked: string;
  readonly sender: string | null;
  /** Paid after its end, if at all. */
  readonly late: boolean;
};

/** What a client was told when it asked how an intent stands, with or without the name of a block. */
export type Notified = {
  readonly at: number;
  readonly askedAt: number;
  readonly intent: string;
  readonly block: string | null;
  readonly is: 'own' | 'foreign' | 'made up' | null;
  readonly http: number | null;
  readonly error?: string;
  readonly status?: string;
  readonly refusal: string | null;
};

type ProofRow = {
  readonly transaction: string;
  readonly payment: string | null;
  readonly refund: string | null;
  readonly reason: string | null;
};

export type IcpRecord = {
  readonly proofs: readonly ProofRow[];
  readonly dues: readonly { readonly payment: string; readonly due: string | null }[];
  readonly waiting: readonly { readonly block: string }[];
  readonly cursors: readonly { readonly next: string; readonly stopped: boolean }[];
};

const QUERIES = {
  proofs: `
    select transaction_id as transaction, payment_id as payment, refund_id as refund, reason
    from svc.log_proofs where network = 'icp:local'`,
  dues: 'select id as payment, refund_due_amount::text as due from svc.payments',
  waiting: `select ledger || ':' || block_index as block from svc.icrc_transfers`,
  cursors: 'select next_index::text as next, stopped_at is not null as stopped from svc.icrc_cursors',
} as const;

export async function readIcpRecord(databaseUrl: string): Promise<IcpRecord> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const read = async (name: keyof typeof QUERIES) => (await client.query(QUERIES[name])).rows as never[];
    return {
      proofs: await read('proofs'),
      dues: await read('dues'),
      waiting: await read('waiting'),
      cursors: await read('cursors'),
    };
  } finally {
    await client.end();
  }
}

export type IcpCase = {
  readonly file: CaseFile;
  readonly setting: IcpSetting;
  readonly transfers: readonly LedgerTransfer[];
  readonly own: IcpRecord;
  readonly intents: readonly NotedIntent[];
  readonly notified: readonly Notified[];
};

const MEMO = /^svc:(\d+)$/;
export const codeIn = ({ memo }: LedgerTransfer): string | undefined => MEMO.exec(memo)?.[1];

export const wrong = (is: boolean, rule: string, text: string, intent?: string): Violation[] =>
  is ? [{ rule, text, ...(intent !== undefined && { intent }) }] : [];
