// A settlement counts when its payment is completed in Postgres and the log that the row names is on the chain.
import { setTimeout as sleep } from 'node:timers/promises';
import { paymentProcessorAbi } from '@svc-pay/evm';
import { encodeEventTopics, numberToHex } from 'viem';
import type { SettleWorld } from './settle-world.ts';

const BLOCKS_AT_ONCE = 5n;
const LOOK_MS = 250;

type Row = {
  readonly intent_id: string;
  readonly status: string;
  readonly split: string | null;
  readonly code: string;
};
type Log = { readonly transactionHash: string; readonly logIndex: string; readonly topics: readonly string[] };

export type Proof = {
  readonly settled: ReadonlySet<string>;
  /** Why the others do not count, and how many. */
  readonly otherwise: Readonly<Record<string, number>>;
};

/** Waits until none of them is open any more, or patience is over; what is still open then has failed. */
export async function proveSettled(
  world: SettleWorld,
  intentIds: readonly string[],
  fromBlock: bigint,
  patienceMs: number,
): Promise<Proof> {
  const untilMs = performance.now() + patienceMs;
  let rows = await readRows(world, intentIds);
  while (rows.some(({ status }) => status === 'pending') && performance.now() < untilMs) {
    await sleep(LOOK_MS);
    rows = await readRows(world, intentIds);
  }
  const onChain = await readSettledLogs(world, fromBlock);
  const settled = new Set<string>();
  const otherwise: Record<string, number> = {};
  const count = (why: string) => {
    otherwise[why] = (otherwise[why] ?? 0) + 1;
  };
  for (const { intent_id, status, split, code } of rows) {
    if (status !== 'completed') count(status);
    else if (split === null || onChain.get(split.toLowerCase()) !== BigInt(code)) count('completed without its log');
    else settled.add(intent_id);
  }
  for (let missing = rows.length; missing < intentIds.length; missing += 1) count('no payment');
  return { settled, otherwise };
}

async function readRows({ pool }: SettleWorld, intentIds: readonly string[]): Promise<readonly Row[]> {
  const { rows } = await pool.query<Row>(
    `select intent.id as intent_id, payment.status, payment.transaction_split_id as split, intent.intent_code::text as code
     from svc.intents intent
     join svc.payments payment on payment.account_id = intent.account_id and payment.mode = intent.mode
       and payment.id = intent.payment_id
     where intent.id = any ($1)`,
    [intentIds],
  );
  return rows;
}

/** By `transaction:log`, the intent code that was settled there. */
async function readSettledLogs({ rpc, chain }: SettleWorld, fromBlock: bigint): Promise<ReadonlyMap<string, bigint>> {
  const head = await headOf(rpc);
  const topics = encodeEventTopics({ abi: paymentProcessorAbi, eventName: 'PaymentSettled' });
  const found = new Map<string, bigint>();
  for (let first = fromBlock; first <= head; first += BLOCKS_AT_ONCE) {
    const last = first + BLOCKS_AT_ONCE - 1n < head ? first + BLOCKS_AT_ONCE - 1n : head;
    const range = { fromBlock: numberToHex(first), toBlock: numberToHex(last) };
    const [answer] = await rpc([
      { method: 'eth_getLogs', params: [{ address: chain.record.processor, topics, ...range }] },
    ]);
    if (answer?.ok !== true) throw new Error('the chain does not tell its logs');
    for (const { transactionHash, logIndex, topics: words } of answer.result as readonly Log[]) {
      found.set(`${transactionHash}:${BigInt(logIndex)}`.toLowerCase(), BigInt(words[1] ?? '0x0'));
    }
  }
  return found;
}

export async function headOf(rpc: SettleWorld['rpc']): Promise<bigint> {
  const [answer] = await rpc([{ method: 'eth_blockNumber', params: [] }]);
  if (answer?.ok !== true) throw new Error('the chain does not tell its head');
  return BigInt(answer.result as string);
}
