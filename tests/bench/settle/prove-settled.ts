// A settlement counts when its payment is completed in Postgres and the log that the row names is on the chain: the
// processor's with the intent's code, or of a direct payment the token's transfer behind the use of the payment's nonce.
import { setTimeout as sleep } from 'node:timers/promises';
import { paymentProcessorAbi } from '@svc-pay/evm';
import { inTransaction } from '@svc-pay/postgres';
import { encodeEventTopics, numberToHex } from 'viem';
import type { Log } from '../../chaos/checker/chain-evidence.ts';
import { readDirectLogs } from '../../chaos/checker/direct-evidence.ts';
import type { SettleWorld } from './settle-world.ts';

const BLOCKS_AT_ONCE = 5n;
const LOOK_MS = 250;

type Row = {
  readonly intent_id: string;
  readonly status: string;
  readonly split: string | null;
  readonly code: string;
  readonly nonce: string;
  readonly batch: string | null;
};

export type Proof = {
  /** When none of them was open any more, or patience was over. */
  readonly endedMs: number;
  readonly settled: ReadonlySet<string>;
  /** That settled them. */
  readonly batchIds: ReadonlySet<string>;
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
  const endedMs = performance.now();
  // What each log proves: a code of an intent, or a nonce of a payer.
  const onChain = await (world.wallets.length > 0 ? readDirectly : readSettledLogs)(world, fromBlock);
  const settled = new Set<string>();
  const batchIds = new Set<string>();
  const otherwise: Record<string, number> = {};
  const count = (why: string) => {
    otherwise[why] = (otherwise[why] ?? 0) + 1;
  };
  for (const { intent_id, status, split, code, nonce, batch } of rows) {
    const proven = onChain.get(split?.toLowerCase() ?? '');
    if (status !== 'completed') count(status);
    else if (proven !== BigInt(world.wallets.length > 0 ? nonce : code)) count('completed without its log');
    else {
      settled.add(intent_id);
      if (batch !== null) batchIds.add(batch);
    }
  }
  for (let missing = rows.length; missing < intentIds.length; missing += 1) count('no payment');
  return { endedMs, settled, batchIds, otherwise };
}

/**
 * Its CPU is PostgreSQL's, which is charged to the payments. Tables that were not analyzed yet are joined row by row, which took 8.6 s
 * for 4,500 payments of 1,000 accounts, 1.9 ms for each; hashed it takes a tenth of a second.
 */
async function readRows({ pool }: SettleWorld, intentIds: readonly string[]): Promise<readonly Row[]> {
  return inTransaction(pool, async (client) => {
    await client.query('set local enable_nestloop = off; set local enable_mergejoin = off');
    return (await client.query<Row>(READ_ROWS, [intentIds])).rows;
  });
}

const READ_ROWS = `
  select intent.id as intent_id, payment.status, payment.transaction_split_id as split, intent.intent_code::text as code,
    '0x' || encode(claim.nonce, 'hex') as nonce, settlement.batch_id as batch
  from svc.intents intent
  join svc.payments payment on payment.account_id = intent.account_id and payment.mode = intent.mode
    and payment.id = intent.payment_id
  join svc.settlements settlement on settlement.account_id = payment.account_id and settlement.mode = payment.mode
    and settlement.payment_id = payment.id
  join svc.claims claim on claim.claim_key = settlement.claim_key
  where intent.id = any ($1)`;

/** By `transaction:log`, the intent code that was settled there. */
async function readSettledLogs(world: SettleWorld, fromBlock: bigint): Promise<ReadonlyMap<string, bigint>> {
  const topics = encodeEventTopics({ abi: paymentProcessorAbi, eventName: 'PaymentSettled' });
  const logs = await readLogs(world, fromBlock, { address: world.chain.record.processor, topics });
  return new Map(
    logs.map(({ transactionHash, logIndex, topics: words }) => [
      `${transactionHash}:${BigInt(logIndex)}`.toLowerCase(),
      BigInt(words[1] ?? '0x0'),
    ]),
  );
}

/** By `transaction:log` of the transfer, the nonce whose use it belongs to. */
async function readDirectly(world: SettleWorld, fromBlock: bigint): Promise<ReadonlyMap<string, bigint>> {
  const logs = await readLogs(world, fromBlock, { address: world.chain.tokens.usdc });
  return new Map(
    readDirectLogs(logs, new Set(world.wallets)).map(({ transaction, logIndex, nonce }) => [
      `${transaction}:${logIndex}`.toLowerCase(),
      BigInt(nonce),
    ]),
  );
}

async function readLogs({ rpc }: SettleWorld, fromBlock: bigint, filter: object): Promise<readonly Log[]> {
  const head = await headOf(rpc);
  const found: Log[] = [];
  for (let first = fromBlock; first <= head; first += BLOCKS_AT_ONCE) {
    const last = first + BLOCKS_AT_ONCE - 1n < head ? first + BLOCKS_AT_ONCE - 1n : head;
    const range = { fromBlock: numberToHex(first), toBlock: numberToHex(last) };
    const [answer] = await rpc([{ method: 'eth_getLogs', params: [{ ...filter, ...range }] }]);
    if (answer?.ok !== true) throw new Error('the chain does not tell its logs');
    found.push(...(answer.result as readonly Log[]));
  }
  return found;
}

export async function headOf(rpc: SettleWorld['rpc']): Promise<bigint> {
  const [answer] = await rpc([{ method: 'eth_blockNumber', params: [] }]);
  if (answer?.ok !== true) throw new Error('the chain does not tell its head');
  return BigInt(answer.result as string);
}
