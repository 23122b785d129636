// Starts the development world: database, chain, engine and services. All its data is in one folder.
import path from 'node:path';
import type { Clock } from '@svc-pay/core';
import type { LocalChain } from '@svc-pay/evm/local';
import type { Operation } from '@svc-pay/postgres/operator';
import type { Environment } from '@svc-pay/runtime/config';
import type { Service } from '@svc-pay/runtime/process/find-service';
import { hasLocalSolana } from '@svc-pay/solana/local';
import { activateDevWallet } from './activate-wallet.ts';
import { chainFitsDatabase } from './chain-fits-database.ts';
import { choosePorts, isFree } from './choose-port.ts';
import { type Component, createComponentGroup } from './component-group.ts';
import { prepareFolder } from './prepare-folder.ts';
import { startPriceFeed } from './price-feed.ts';
import { registerDevPayout } from './register-payout.ts';
import { type DevAccount, readDevSecrets, writeDevSecrets } from './secrets.ts';
import { seedAccount } from './seed-account.ts';
import { seedIcpPayout } from './seed-icp-payout.ts';
import { seedSolanaPayout, solanaFitsDatabase } from './seed-solana-payout.ts';
import {
  adminEnvironment,
  adminUrlOf,
  apiEnvironment,
  apiUrlOf,
  consoleEnvironment,
  consoleProbesUrlOf,
  consoleUrlOf,
  settlementEnvironment,
  settlementUrlOf,
  webhooksEnvironment,
  webhooksUrlOf,
} from './service-environments.ts';
import { startDevChain } from './start-chain.ts';
import { startDatabase } from './start-database.ts';
import { startEngine } from './start-engine.ts';
import { continueLedger, type DevIcp, startDevIcp } from './start-icp.ts';
import { startService } from './start-service.ts';
import { type DevSolana, startDevSolana } from './start-solana.ts';
import type { Step } from './steps.ts';

export type WorldOptions = {
  readonly folder: string;
  readonly api: Service;
  /** Undefined: nothing settles. */
  readonly settlement: Service | undefined;
  /** Undefined: events are recorded but not delivered. */
  readonly webhooks: Service | undefined;
  /** Deletes existing data first. */
  readonly fresh: boolean;
  /** Undefined: the default port, or a free one if it is taken. */
  readonly port: number | undefined;
  /** Uses no default ports: another world may have them. */
  readonly freePorts?: boolean;
  /** Exact payments go straight to a wallet of the merchant; up-to payments go through the processor. */
  readonly direct?: boolean;
  /** Number of lanes, default one. Must stay the same for as long as the folder is kept. */
  readonly relayers?: number;
  /** Additional settings of the API. */
  readonly apiSettings?: Environment;
  readonly clock: Clock;
  readonly step: Step;
};

export type PeopleServices = { readonly admin: Service; readonly console: Service };

export type LocalWorld = {
  readonly baseUrl: string;
  readonly account: DevAccount;
  readonly chain: LocalChain;
  /** The merchant's own wallet; undefined without direct payments. */
  readonly merchantWallet: string | undefined;
  /** Undefined if this machine cannot run the Solana chain. */
  readonly solana: DevSolana | undefined;
  /** Undefined if nothing settles. */
  readonly icp: DevIcp | undefined;
  /** Superuser URL, for setting up more than the services; contains the password. */
  readonly databaseUrl: string;
  /** Starts the services for people; resolves with the address of the console when it is ready. */
  readonly startConsole: (services: PeopleServices) => Promise<string>;
  /** Folder of the world; contains the logs of the services as `<name>.log`. */
  readonly folder: string;
  /** Resolves with the name of a component that ended by itself. */
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
};

/** Throws a readable error if a component does not start, after stopping the others. */
export async function startWorld(options: WorldOptions): Promise<LocalWorld> {
  const { folder, api, settlement, webhooks, port: wanted, relayers = 1, clock, step } = options;
  if (wanted !== undefined && !(await isFree(wanted))) throw new Error(`port ${wanted} is taken`);
  const directory = await prepareFolder(folder, options.fresh);
  const chosen = await choosePorts(options.freePorts ?? false);
  const ports = { ...chosen, api: wanted ?? chosen.api };
  const secretsFile = path.join(folder, 'secrets.json');
  const secrets = readDevSecrets(secretsFile);
  const ground = createComponentGroup();
  const services = createComponentGroup();
  const stop = async () => {
    await services.stop();
    await ground.stop();
  };
  const on = <Started extends Component>(name: string, work: () => Promise<Started>) =>
    ground.start(name, () => step(name, work));
  const run = (service: Service, baseUrl: string, environment: Environment) => {
    const logFile = path.join(folder, `${service.name}.log`);
    const name = `services/${service.name}`;
    return services.start(name, () => step(name, () => startService(service, { baseUrl, environment, logFile })));
  };
  try {
    const [database, chain, engine, feed, solana, internetComputer] = await Promise.all([
      on('PostgreSQL', () => startDatabase(directory, secrets)),
      on('Anvil with tokens and processor', () => startDevChain(folder, secrets, { port: ports.chain, relayers })),
      (settlement ?? webhooks) && on('Restate', () => startEngine(folder, ports.engine)),
      ground.start('the price feed', () => startPriceFeed(clock)),
      settlement && hasLocalSolana()
        ? on('Surfpool with tokens', () => startDevSolana(secrets, ports.solana))
        : undefined,
      settlement && on('Internet Computer', () => startDevIcp(ports.icp)),
    ]);
    if (!(await chainFitsDatabase(database, chain))) {
      throw new Error('the chain has lost payments that the database knows of; start with --fresh');
    }
    if (solana !== undefined && !(await solanaFitsDatabase(database))) {
      throw new Error('the Solana chain of the last run is gone with a payment under way; start with --fresh');
    }
    const icp = internetComputer && (await continueLedger(internetComputer, database, secrets));
    const { account, merchantWallet } = await step('account and payout', async () => {
      const operation: Operation = { pool: database.pool, nowMs: clock.nowMs(), actor: 'operator:dev' };
      const seeded = await seedAccount(operation, secrets, chain.network);
      writeDevSecrets(secretsFile, { ...secrets, account: seeded });
      await registerDevPayout(operation, seeded.id, chain);
      if (solana !== undefined) await seedSolanaPayout(operation, seeded.id, solana);
      if (icp !== undefined) await seedIcpPayout(operation, seeded.id, icp);
      const wallet = options.direct === true ? await activateDevWallet(operation, seeded.id, chain) : undefined;
      return { account: seeded, merchantWallet: wallet };
    });
    const wiring = { secrets, ports, database, chain, solana, icp, engine, feed };
    await Promise.all([
      settlement && run(settlement, settlementUrlOf(ports), settlementEnvironment(wiring)),
      webhooks && run(webhooks, webhooksUrlOf(ports), webhooksEnvironment(wiring)),
      run(api, apiUrlOf(ports), { ...options.apiSettings, ...apiEnvironment(wiring) }),
    ]);
    const ended = Promise.race([ground.ended, services.ended]);
    const startConsole = async ({ admin, console }: PeopleServices) => {
      await Promise.all([
        run(admin, adminUrlOf(ports), adminEnvironment(wiring)),
        run(console, consoleProbesUrlOf(ports), consoleEnvironment(wiring)),
      ]);
      return consoleUrlOf(ports);
    };
    return {
      baseUrl: apiUrlOf(ports),
      account,
      chain,
      merchantWallet,
      solana,
      icp,
      databaseUrl: database.url,
      startConsole,
      folder,
      ended,
      stop,
    };
  } catch (problem) {
    await stop();
    throw problem;
  }
}
