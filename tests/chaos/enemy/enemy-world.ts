// The stack of an operator with many merchants: PostgreSQL, Restate, Anvil, two APIs, settlement and webhooks as processes
// of their own. Limits on requests are on; clients have addresses of their own, as behind a proxy.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePorts } from '@svc-pay/engine/server';
import { type LocalChain, startChain } from '@svc-pay/evm/testing';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { type Address, createPublicClient, createTestClient, type Hex, http } from 'viem';
import { openShop, type Shop } from '../../e2e/open-shop.ts';
import { startMortalEngine } from '../harness/mortal-engine.ts';
import { type MortalPostgres, startMortalPostgres } from '../harness/mortal-postgres.ts';
import { createProgram, type Program } from '../harness/program.ts';
import { openWorldFolder } from '../harness/world-folder.ts';
import { openEndpoint } from '../settlement/open-endpoint.ts';
import { createServicePrograms, type ServicePrograms } from '../settlement/service-programs.ts';
import type { Ground, PublicShop } from './attacker.ts';
import { startToldMerchants, type ToldMerchants } from './told-merchants.ts';

export type EnemyWorldPlan = { readonly accounts: number; readonly hostile: number; readonly seed: number };

export type EnemyWorld = ServicePrograms & {
  readonly directory: string;
  readonly chain: LocalChain;
  readonly postgres: MortalPostgres;
  readonly enginePid: () => number;
  readonly shops: readonly Shop[];
  readonly ground: Ground;
  readonly merchants: ToldMerchants;
  /** Accounts whose servers hear of completed payments. */
  readonly toldAccounts: ReadonlySet<string>;
  /** Code of a contract wallet that takes signatures of this key. */
  readonly walletCodeOf: (owner: Address) => Hex;
  readonly driver: Program;
  /** Written by the driver when the attack is over. */
  readonly resultFile: string;
  /** Ends every process; the folder with the logs goes too unless it is to be kept. */
  readonly stop: (keep: boolean) => Promise<void>;
};

/** Of every honest payment. */
const PRICE = { usd: '1.5', atomic: '1500000' } as const;
const APIS = 2;
const RELAYERS = 2;
const BLOCK_SECONDS = 1;
/** `finalized` lies twice as many blocks behind the newest. */
const SLOTS_IN_AN_EPOCH = 3;
const OWN_SHOPS = 2;
const SLOW_ENDPOINTS = 3;
/** The shop that the flood from ten addresses goes to. */
const FLOODED = 2;
/** Shops whose servers want to hear of completed payments and answer at once. */
const FAST = [3, 4];
const SLOW_SECONDS = 10;
const MARKER: Address = '0x1234567890abcdef1234567890abcdef12345678';

export async function startEnemyWorld({ accounts, hostile, seed }: EnemyWorldPlan): Promise<EnemyWorld> {
  const { directory, inside, onStop, stoppable, stop } = openWorldFolder('svc-enemy-');
  try {
    const [postgres, chain, engine, merchants] = await Promise.all([
      stoppable(startMortalPostgres(inside('postgres'))),
      stoppable(startChain({ slotsInAnEpoch: SLOTS_IN_AN_EPOCH, relayers: RELAYERS, guard: killOnParentExit })),
      stoppable(startMortalEngine(inside('engine'))),
      stoppable(startToldMerchants()),
    ]);
    const opened: Shop[] = [];
    for (let index = 0; index < accounts + OWN_SHOPS; index += 1) opened.push(await openShop(postgres.pool, chain));
    const [shops, ownShops] = [opened.slice(0, accounts), opened.slice(accounts)];
    const slowReceiverPort = (await freePorts()).node;
    const toldAccounts = await openEndpoints(postgres, shops, merchants);
    for (const shop of Array.from({ length: SLOW_ENDPOINTS }, () => ownShops).flat()) {
      const wish = { eventTypes: ['payment_intent.created'], timeoutSeconds: SLOW_SECONDS };
      await openEndpoint(postgres.pool, shop, (id) => `http://127.0.0.1:${slowReceiverPort}/${id}`, wish);
    }
    const walletCodeOf = await readWalletCode(chain);
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
      counts: { apis: APIS, settlements: 1, senders: 1 },
      api: { SVC_API_RATE_LIMITS: 'on', SVC_API_TRUSTED_PROXIES: '127.0.0.1' },
      // As by default, other than in worlds whose chain is attacked.
      settlement: { SVC_READER_EVERY_MS: '10000', SVC_READER_CLAIM_MS: '60000' },
      // Live networks have a minimum by default, a local one has none.
      network: { minimumUsd: '0.01' },
    });
    const programs = [...services.settlements, ...services.apis, ...services.senders];
    onStop(...programs.map((program) => program.kill));
    await Promise.all(programs.map((program) => program.start()));
    const ground: Ground = {
      apiUrls: services.apiUrls,
      rpcUrl: chain.rpcUrl,
      token: chain.tokens.usdc,
      priceUsd: PRICE.usd,
      priceAtomic: PRICE.atomic,
      shops: shops.map(publicPart),
      ownShops: ownShops.map(publicPart),
      slowReceiverPort,
      seed,
    };
    const [groundFile, resultFile] = [inside('ground.json'), inside('hostile.json')];
    writeFileSync(groundFile, JSON.stringify(ground));
    const driver = createProgram({
      file: path.join(import.meta.dirname, 'hostile-driver.ts'),
      arguments: [groundFile, resultFile, String(hostile)],
      environment: {},
      logFile: inside('driver.log'),
    });
    onStop(driver.kill);
    await driver.start();
    return {
      ...services,
      directory,
      chain,
      postgres,
      enginePid: engine.pid,
      shops,
      ground,
      merchants,
      toldAccounts,
      walletCodeOf,
      driver,
      resultFile,
      stop,
    };
  } catch (problem) {
    await stop(true);
    throw problem;
  }
}

const publicPart = ({ accountId, publishableKey }: Shop): PublicShop => ({ accountId, publishableKey });

async function openEndpoints(
  { pool }: MortalPostgres,
  shops: readonly Shop[],
  { urlOf }: ToldMerchants,
): Promise<ReadonlySet<string>> {
  const told = new Set<string>();
  const wishes = [
    { number: FLOODED, receiver: 'flooded', eventTypes: ['payment_intent.created', 'payment.completed'] } as const,
    ...FAST.map((number) => ({ number, receiver: 'fast', eventTypes: ['payment.completed'] }) as const),
  ];
  for (const { number, receiver, eventTypes } of wishes) {
    const shop = shops[number];
    if (shop === undefined) throw new Error(`there is no shop ${number}`);
    await openEndpoint(pool, shop, () => urlOf(receiver), { eventTypes, timeoutSeconds: SLOW_SECONDS });
    told.add(shop.accountId);
  }
  return told;
}

/** By the code of a deployed wallet, in which its owner stands. */
async function readWalletCode(chain: LocalChain): Promise<EnemyWorld['walletCodeOf']> {
  const deployed = await chain.deployWallet(MARKER);
  const client = createPublicClient({ transport: http(chain.rpcUrl) });
  const code = await client.getCode({ address: deployed });
  if (code?.includes(MARKER.slice(2)) !== true) throw new Error('the owner does not stand in the code of the wallet');
  return (owner) => code.replaceAll(MARKER.slice(2), owner.slice(2).toLowerCase()) as Hex;
}
