// Honest payers alone, then the same payers beside wallets that burn the relayers' gas, then a wait for what is open.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '../../progress.ts';
import { createAskChain } from '../checker/ask-chain.ts';
import { createDice } from '../harness/dice.ts';
import { findDeaths } from '../harness/open-work.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { createBurnerAttack } from './burner-attack.ts';
import { type BurnerWorld, startBurnerWorld } from './burner-world.ts';
import { type HonestPayment, openHonestPayers } from './honest-payers.ts';
import { type BurnerFigures, judgeBurner } from './judge-burner.ts';
import type { RecordedPayment } from './judge-payments.ts';
import { headOf, readRelayerTransactions } from './relayer-transactions.ts';

export type BurnerPlan = {
  /** Of the attack. */
  readonly seconds: number;
  /** Honest payers alone before it. */
  readonly quietSeconds: number;
  readonly wallets: number;
  readonly accounts: number;
  /** Payments a second. */
  readonly honest: number;
  readonly hostile: number;
  readonly seed: number;
};

export type BurnerResult = BurnerFigures & { readonly hostile_skipped: number };

const WARM_UP_SECONDS = 5;
/** For hostile payments that are open when the attack ends. One that is queued again for ever is counted as open. */
const DRAIN_MS = 60_000;
const SHOW_MS = 1_000;

export async function runBurner(plan: BurnerPlan, progress: Progress): Promise<BurnerResult> {
  const world = await startBurnerWorld(plan);
  let red = true;
  try {
    const honest = await openHonestPayers(world, plan.honest, createDice(plan.seed));
    const attack = createBurnerAttack(world, plan.hostile);
    const ask = createAskChain(world.chain.rpcUrl);
    progress.print(`${plan.wallets} wallets and ${plan.accounts} accounts are there; honest payers begin`);
    const beganMs = performance.now();
    const showing = setInterval(() => {
      const seconds = Math.round((performance.now() - beganMs) / 1_000);
      const note = `seconds; honest ${honest.finished()}/${honest.started()} ended, hostile ${attack.started()} sent`;
      progress.show(seconds, note);
    }, SHOW_MS);
    const [warmUp, quiet, attacked]: [HonestPayment[], HonestPayment[], HonestPayment[]] = [[], [], []];
    const fromBlock = await headOf(ask);
    await honest.payFor(WARM_UP_SECONDS, warmUp);
    await honest.payFor(plan.quietSeconds, quiet);
    const attackBlock = (await headOf(ask)) + 1;
    progress.print('the attack begins');
    await Promise.all([honest.payFor(plan.seconds, attacked), attack.run(plan.seconds)]);
    progress.print('the attack is over; what is open may end');
    await honest.ended();
    const hostile = await attack.ended();
    await waitUntil(async () => (await countOpen(world)) === 0, DRAIN_MS, SHOW_MS);
    await sleep(SHOW_MS);
    clearInterval(showing);
    const nonces = new Set([...warmUp, ...quiet, ...attacked, ...hostile].flatMap(({ nonce }) => nonce ?? []));
    const relayers = world.chain.keys.relayers.map(({ account }) => account.address);
    const figures = judgeBurner({
      warmUp,
      quiet,
      attacked,
      hostile,
      recorded: await readPayments(world),
      transactions: await readRelayerTransactions(ask, relayers, fromBlock, nonces),
      attackBlock,
    });
    const violations = [...findDeaths(world.programs), ...figures.violations];
    red = violations.length > 0;
    return { ...figures, violations, hostile_skipped: attack.skipped() };
  } finally {
    progress.end();
    await world.stop(red);
    if (red) progress.print(`the logs are in ${world.directory}`);
  }
}

async function countOpen({ postgres }: BurnerWorld): Promise<number> {
  const { rows } = await postgres.pool.query<{ count: number }>(
    `select count(*)::integer as count from svc.payments where status = 'pending'`,
  );
  return rows[0]?.count ?? 0;
}

async function readPayments({ postgres }: BurnerWorld): Promise<readonly RecordedPayment[]> {
  const { rows } = await postgres.pool.query<RecordedPayment>(
    `select p.intent_id as intent, s.intent_code::text as code, '0x' || encode(c.nonce, 'hex') as nonce, p.status,
       p.failure_code as failure
     from svc.payments p
     join svc.settlements s on s.payment_id = p.id
     left join svc.claims c on c.claim_key = s.claim_key`,
  );
  return rows;
}
