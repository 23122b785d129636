// Payers who go on paying while the steps of a drill replace secrets, and what must be true of all of them at its end.
import { expect } from 'vitest';
import { payerOf } from '../../e2e/wallet.ts';
import { startLoad } from '../upgrade/load.ts';
import { createLoadStages, expectEveryPaymentBooked } from '../upgrade/load-stages.ts';
import { type Process, type RotateWorld, startRotateWorld } from './rotate-world.ts';
import { payOnSolana } from './solana-side.ts';

export type Drill = RotateWorld & {
  /** Goes on when some payments were made, and fails if any answer was wrong. */
  readonly stage: (name: string) => Promise<void>;
  /** Restarts one after the other, as behind a balancer. In the middle half of the processes have other secrets. */
  readonly roll: (name: string, processes: readonly Process[]) => Promise<void>;
  readonly paidOnSolana: () => number;
  /** A step has made a payment of its own. */
  readonly countAlso: (atomic: bigint) => void;
};
export type Step = (drill: Drill) => Promise<void>;

const PAYERS = 2;
const PAID_PER_STAGE = 4;
const MINTED_ATOMIC = 10_000_000_000n;
const ADMIN_PAUSE_MS = 100;

/** Runs the steps under load. Every payment is completed once, every answer was right, and the books agree. */
export async function runDrill(steps: Readonly<Record<string, Step>>): Promise<Drill> {
  const world = await startRotateWorld();
  const { chain, shop, solana, apiUrls, adminUrls, operator } = world;
  const keys = await Promise.all(Array.from({ length: PAYERS }, () => chain.newKey()));
  for (const { account } of keys) await chain.mint(chain.tokens.usdc, account.address, MINTED_ATOMIC);
  const solanaPayer = await solana.newPayer();
  let paidOnSolana = 0;
  let [admins, turn] = [adminUrls, 0];
  const buyOnSolana = async (nextApi: () => string) => {
    const atomic = await payOnSolana(nextApi, shop, solanaPayer);
    paidOnSolana += 1;
    return atomic;
  };
  const askAdmin = async () => {
    const { status } = await askAdminAt(admins[turn++ % admins.length] ?? '', operator.key);
    if (status !== 200) throw new Error(`the admin API answered ${status}`);
    await new Promise((resolve) => setTimeout(resolve, ADMIN_PAUSE_MS));
    return undefined;
  };
  const payers = keys.map(({ account }) => payerOf(account));
  const load = startLoad(shop, payers, apiUrls[0] ?? '', [buyOnSolana, askAdmin]);
  load.serve(apiUrls);
  const { stage, pauses } = createLoadStages(load, PAID_PER_STAGE);
  const drill: Drill = {
    ...world,
    stage,
    paidOnSolana: () => paidOnSolana,
    countAlso: load.count,
    roll: async (name, processes) => {
      for (const [index, which] of processes.entries()) {
        const others = (urls: readonly string[]) => urls.filter((_, seat) => seat !== which.seat);
        if (which.service === 'api') load.serve(others(apiUrls));
        if (which.service === 'admin') admins = others(adminUrls);
        await world.restart(which);
        load.serve(apiUrls);
        admins = adminUrls;
        if (index + 1 === processes.length / 2) await stage(`${name}, half of them`);
      }
      await stage(name);
    },
  };
  await stage('before');
  for (const [name, step] of Object.entries(steps)) {
    console.log(`${new Date().toISOString()} ${name}, ${load.paid()} paid`);
    await step(drill);
  }
  await load.stop();
  const longest = Object.entries(pauses).toSorted(([, one], [, other]) => other - one)[0];
  console.log(JSON.stringify({ paid: load.paid(), onSolana: paidOnSolana, longestPauseMs: longest }));
  await expectEveryPaymentBooked(world.pool, load);
  expect(world.merchant.refused).toEqual([]);
  expect(world.merchant.taken()).toBeGreaterThanOrEqual(load.paid());
  expect(paidOnSolana).toBeGreaterThan(Object.keys(steps).length);
  await world.run('ledger', 'check');
  return drill;
}

export const askAdminAt = (adminUrl: string, key: string): Promise<Response> =>
  fetch(`${adminUrl}/admin/accounts`, { headers: { authorization: `Bearer ${key}` } });
