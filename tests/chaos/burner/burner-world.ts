// The stack of an operator with many merchants: PostgreSQL, Restate, Anvil, one API and one settlement as processes of their
// own. The limits on requests are off: every client here has the same address, and gas is what is measured.

import { type LocalChain, startChain } from '@svc-pay/evm/testing';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { createTestClient, http } from 'viem';
import { openShop, type Shop } from '../../e2e/open-shop.ts';
import { startMortalEngine } from '../harness/mortal-engine.ts';
import { type MortalPostgres, startMortalPostgres } from '../harness/mortal-postgres.ts';
import type { Program } from '../harness/program.ts';
import { openWorldFolder } from '../harness/world-folder.ts';
import { createServicePrograms } from '../settlement/service-programs.ts';
import { type BurnerWallet, installBurners } from './burner-wallets.ts';

export type BurnerWorldPlan = { readonly accounts: number; readonly wallets: number; readonly seed: number };

export type BurnerWorld = {
  readonly directory: string;
  readonly apiUrl: string;
  readonly chain: LocalChain;
  readonly postgres: MortalPostgres;
  readonly shops: readonly Shop[];
  readonly burners: readonly BurnerWallet[];
  readonly programs: readonly Program[];
  /** Ends every process; the folder with the logs goes too unless it is to be kept. */
  readonly stop: (keep: boolean) => Promise<void>;
};

/** Of every payment here, honest or not. */
export const PRICE = { usd: '1.5', atomic: 1_500_000n } as const;
const RELAYERS = 2;
const BLOCK_SECONDS = 1;
/** `finalized` lies twice as many blocks behind the newest. */
const SLOTS_IN_AN_EPOCH = 3;

export async function startBurnerWorld({ accounts, wallets, seed }: BurnerWorldPlan): Promise<BurnerWorld> {
  const { directory, inside, onStop, stoppable, stop } = openWorldFolder('svc-burner-');
  try {
    const [postgres, chain, engine] = await Promise.all([
      stoppable(startMortalPostgres(inside('postgres'))),
      stoppable(startChain({ slotsInAnEpoch: SLOTS_IN_AN_EPOCH, relayers: RELAYERS, guard: killOnParentExit })),
      stoppable(startMortalEngine(inside('engine'))),
    ]);
    const shops: Shop[] = [];
    for (let index = 0; index < accounts; index += 1) shops.push(await openShop(postgres.pool, chain));
    const burners = await installBurners(chain, { count: wallets, seed, priceAtomic: PRICE.atomic });
    // Set-up mines every transaction at once; payments wait for blocks as on a real chain.
    const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) });
    await node.setAutomine(false);
    await node.setIntervalMining({ interval: BLOCK_SECONDS });
    const services = await createServicePrograms({
      inside,
      postgres,
      chain,
      rpcUrls: [chain.rpcUrl],
      engineOf: () => ({ admin: engine.adminUrl, ingress: engine.ingressUrl }),
      counts: { apis: 1, settlements: 1, senders: 0 },
    });
    const programs = [...services.settlements, ...services.apis];
    onStop(...programs.map((program) => program.kill));
    await Promise.all(programs.map((program) => program.start()));
    const [apiUrl] = services.apiUrls;
    if (apiUrl === undefined) throw new Error('no API was started');
    return { directory, apiUrl, chain, postgres, shops, burners, programs, stop };
  } catch (problem) {
    await stop(true);
    throw problem;
  }
}
