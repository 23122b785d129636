// Every payment that an EVM chain has, by its logs alone, beside the books: each must be there once, and nothing else.
import { toEventSelector } from 'viem';
import { createAskChain } from '../checker/ask-chain.ts';
import { readChain } from '../checker/chain-evidence.ts';
import type { SettlementWorld } from '../settlement/world.ts';

export type ChainCount = {
  /** Payments that the chain has: through the processor, those of stranded money among them, and to wallets directly. */
  readonly onChain: number;
  readonly direct: number;
  /** Payments by stranded money. */
  readonly stranded: number;
  /** Payments that the books call completed. */
  readonly inBooks: number;
  readonly problems: readonly string[];
};

const STRANDED_SETTLED = toEventSelector('StrandedSettled(uint64,address,address,bytes32)');

type Booked = {
  readonly id: string;
  readonly payments: number;
  readonly paid: string;
  readonly booked: string;
  readonly told: number;
};

export async function compareWithChain({ chain, wallets, postgres }: SettlementWorld): Promise<ChainCount> {
  const ask = createAskChain(chain.rpcUrl);
  const { processor } = chain.record;
  const scope = { processor, token: chain.tokens.usdc, relayers: [], wallets, owners: [] };
  const { settled, direct } = await readChain(ask, scope);
  const filter = { address: processor, topics: [STRANDED_SETTLED], fromBlock: '0x0', toBlock: 'latest' };
  const [stranded] = (await ask([['eth_getLogs', [filter]]])) as [readonly unknown[]];
  const moved = new Map<string, bigint>([
    ...settled.map((log) => [`${log.transaction}:${log.logIndex}`, log.settled] as const),
    ...direct.map((log) => [`${log.transaction}:${log.logIndex}`, log.value] as const),
  ]);
  const { rows } = await postgres.pool.query<Booked>(
    `select p.transaction_split_id as id, count(*)::integer as payments, max(p.paid_amount)::text as paid,
       sum((
         select coalesce(-sum(e.amount), 0) from svc.ledger_entries e
         where e.payment_id = p.id and e.asset <> 'native' and e.party = lower(p.payer)
       ))::text as booked,
       sum((
         select count(*) from svc.events v where v.payment_id = p.id and v.type = 'payment.completed'
       ))::integer as told
     from svc.payments p where p.status = 'completed' group by p.transaction_split_id`,
  );
  const booked = new Map(rows.map((row) => [row.id, row]));
  const wrong = [...moved].flatMap(([id, amount]) => {
    const row = booked.get(id);
    const text = amount.toString();
    const once = row?.payments === 1 && row.paid === text && row.booked === text && row.told === 1;
    return once ? [] : [`${id} moved ${text} on chain and stands in the books as ${JSON.stringify(row)}`];
  });
  const made = rows.filter(({ id }) => !moved.has(id)).map(({ id }) => `${id} is in the books and not on chain`);
  return {
    onChain: moved.size,
    direct: direct.length,
    stranded: stranded.length,
    inBooks: rows.reduce((sum, { payments }) => sum + payments, 0),
    problems: [...wrong, ...made],
  };
}
