// Settlements a second on Solana through the API, beside bare sends of the same kind of transaction to the same chain in the
// same run, by turns. A settlement counts when its payment is completed in PostgreSQL and its transaction has landed.
import { mapConcurrent } from '@svc-pay/core';
import { median } from '../../quantile.ts';
import { cpuSeconds } from '../intents/cpu-time.ts';
import { type BareTransaction, drawPayers, makeBare, makePayments, type SignedPayment } from './payments.ts';
import { createPostJson, type PostJson } from './post-json.ts';
import { SLOT_MS, type SolanaBenchWorld, startSolanaBenchWorld } from './solana-world.ts';

const CONCURRENCY = 256;
const ROUNDS = 3;
const LANES = 1;
const BAR_RATIO = 0.3;
/** Of one round; what is prepared lives for a minute. */
const MOST_PAYMENTS = 3_000;
const PATIENCE_MS = 60_000;
const STATUSES_AT_ONCE = 256;

type Slice = { readonly perSecond: number; readonly failed: number; readonly latenciesMs: readonly number[] };

export async function benchSolana(seconds: number) {
  const world = await startSolanaBenchWorld(LANES);
  const post = createPostJson(CONCURRENCY);
  try {
    const payers = await drawPayers(world, CONCURRENCY);
    const count = Math.min(MOST_PAYMENTS, Math.max(CONCURRENCY * 2, seconds * 100));
    await settleAll(world, post, await makePayments(world, post, payers, CONCURRENCY));
    const slices: Slice[] = [];
    const bare: number[] = [];
    const cpu = new Map<string, number>();
    let failed = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const payments = await makePayments(world, post, payers, count);
      const before = cpuOf(world);
      const slice = await settleAll(world, post, payments);
      for (const [part, spent] of cpuOf(world)) {
        cpu.set(part, (cpu.get(part) ?? 0) + spent - (before.get(part) ?? 0));
      }
      slices.push(slice);
      const sent = await sendAll(world, post, await makeBare(world, payers, count));
      bare.push(sent.perSecond);
      failed += slice.failed + sent.failed;
      console.log(
        `round ${round}/${ROUNDS}: ${Math.round(slice.perSecond)}/s settled, ${slice.failed} failed; ` +
          `${Math.round(sent.perSecond)}/s bare, ${sent.failed} failed`,
      );
    }
    const [ours, reference] = [median(slices.map(({ perSecond }) => perSecond)), median(bare)];
    const ratio = ours / reference;
    const latencies = slices.flatMap(({ latenciesMs }) => latenciesMs).toSorted((one, other) => one - other);
    const at = (share: number) => Math.round(latencies[Math.floor(latencies.length * share)] ?? 0);
    const each = (part: string) => rounded(((cpu.get(part) ?? 0) * 1_000) / (count * ROUNDS));
    return {
      figures: {
        per_s: rounded(ours),
        bare_per_s: rounded(reference),
        ratio_bare: rounded(ratio),
        failed,
        settlements: count * ROUNDS,
        concurrency: CONCURRENCY,
        relayers: LANES,
        slot_ms: SLOT_MS,
        p50_ms: at(0.5),
        p99_ms: at(0.99),
        cpu_ms_api: each('api'),
        cpu_ms_settlement: each('settlement'),
        cpu_ms_postgres: each('postgres'),
        cpu_ms_engine: each('engine'),
        cpu_ms_chain: each('chain'),
        ...world.durable,
      },
      missed: [
        ...(ratio < BAR_RATIO ? [`ratio_bare ${rounded(ratio)}, the bar is ${BAR_RATIO}`] : []),
        ...(failed > 0 ? [`${failed} failed`] : []),
      ],
    };
  } finally {
    post.end();
    await world.stop();
  }
}

/** Each client sends its signed transaction, and again while it is told that it is not over. */
async function settleAll(world: SolanaBenchWorld, post: PostJson, payments: readonly SignedPayment[]): Promise<Slice> {
  const headers = { authorization: `Bearer ${world.shop.publishableKey}` };
  const startMs = performance.now();
  const latenciesMs = await mapConcurrent(CONCURRENCY, payments, async ({ body }) => {
    const fromMs = performance.now();
    for (;;) {
      const answer = await post(world.apiPort, '/sdk/public/payments/x402/relay', body, headers);
      const status = answer.code === 200 ? (JSON.parse(answer.body) as { status: string }).status : undefined;
      const overMs = performance.now() - fromMs;
      if (status === 'succeeded' || status === 'failed' || overMs > PATIENCE_MS) return overMs;
    }
  });
  const tookMs = performance.now() - startMs;
  const good = await countSettled(world, payments);
  return { perSecond: (good * 1_000) / tookMs, failed: payments.length - good, latenciesMs };
}

/** By the database and the chain, not by what clients were told. */
async function countSettled({ pool, node }: SolanaBenchWorld, payments: readonly SignedPayment[]): Promise<number> {
  const { rows } = await pool.query<{ transaction: string }>(
    `select p.transaction_id as transaction from svc.payments p
     join svc.intents i on i.id = p.intent_id and i.payment_id = p.id
     where p.intent_id = any ($1) and p.status = 'completed' and i.status = 'completed'`,
    [payments.map(({ intentId }) => intentId)],
  );
  return countLanded(
    node,
    rows.map(({ transaction }) => transaction),
  );
}

async function countLanded(node: SolanaBenchWorld['node'], ids: readonly string[]): Promise<number> {
  let landed = 0;
  for (let from = 0; from < ids.length; from += STATUSES_AT_ONCE) {
    const statuses = await node.statuses(ids.slice(from, from + STATUSES_AT_ONCE));
    landed += statuses.filter((status) => status !== null && status.error === null).length;
  }
  return landed;
}

async function sendAll(
  { chainPort, node }: SolanaBenchWorld,
  post: PostJson,
  transactions: readonly BareTransaction[],
): Promise<Pick<Slice, 'perSecond' | 'failed'>> {
  const startMs = performance.now();
  await mapConcurrent(CONCURRENCY, transactions, ({ body }) => post(chainPort, '/', body));
  const tookMs = performance.now() - startMs;
  const landed = await countLanded(
    node,
    transactions.map(({ transactionId }) => transactionId),
  );
  return { perSecond: (landed * 1_000) / tookMs, failed: transactions.length - landed };
}

const cpuOf = ({ pids }: SolanaBenchWorld) =>
  new Map(Object.entries(pids).map(([part, pid]) => [part, cpuSeconds([pid])]));

const rounded = (value: number) => Math.round(value * 1_000) / 1_000;
