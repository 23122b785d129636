// The development world: database, chain, engine and the services between them. Everything it keeps is in one folder.
import path from 'node:path';
import type { Environment } from '@svc-pay/config';
import type { Clock } from '@svc-pay/core';
import type { LocalChain } from '@svc-pay/evm/local';
import type { Operation } from '@svc-pay/postgres/operator';
import { hasLocalSolana } from '@svc-pay/solana/local';
import type { Service } from '../service/services.ts';
import { chainFitsDatabase } from './chain-fits-database.ts';
import { choosePorts, isFree } from './choose-port.ts';
import { createParts, type Part } from './parts.ts';
import { prepareFolder } from './prepare-folder.ts';
import { startPriceFeed } from './price-feed.ts';
import { registerDevPayout } from './register-payout.ts';
import { type DevAccount, readDevSecrets, writeDevSecrets } from './secrets.ts';
import { seedAccount } from './seed-account.ts';
import { sellOnSolana, solanaFitsDatabase } from './sell-on-solana.ts';
import {
  apiEnvironment,
  apiUrlOf,
  settlementEnvironment,
  settlementUrlOf,
  webhooksEnvironment,
  webhooksUrlOf,
} from './service-environments.ts';
import { startDevChain } from './start-chain.ts';
import { startDatabase } from './start-database.ts';
import { startEngine } from './start-engine.ts';
import { startService } from './start-service.ts';
import { type DevSolana, startDevSolana } from './start-solana.ts';
import type { Step } from './steps.ts';

export type WorldOptions = {
  readonly folder: string;
  readonly api: Service;
  /** Undefined: nothing settles. */
  readonly settlement: Service | undefined;
  /** Undefined: events are recorded, and nobody is told. */
  readonly webhooks: Service | undefined;
  /** Forget what is there. */
  readonly fresh: boolean;
  /** Undefined: the usual one, or a free one when it is taken. */
  readonly port: number | undefined;
  /** No usual ports at all: another world may have them. */
  readonly freePorts?: boolean;
  /** Lanes; one unless told. The same for as long as a folder is kept. */
  readonly relayers?: number;
  /** Settings of the API beside those that a world needs. */
  readonly apiSettings?: Environment;
  readonly clock: Clock;
  readonly step: Step;
};

export type World = {
  readonly baseUrl: string;
  readonly account: DevAccount;
  readonly chain: LocalChain;
  /** Undefined: this machine has none. */
  readonly solana: DevSolana | undefined;
  /** As superuser, for what is set up beside the services; carries the password. */
  readonly databaseUrl: string;
  /** Logs of the services are here, `<name>.log`. */
  readonly folder: string;
  /** Settles with the name of a part that ended by itself. */
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
};

/** Throws in words when a part does not start; what had started is stopped then. */
export async function startWorld(options: WorldOptions): Promise<World> {
  const { folder, api, settlement, webhooks, port: wanted, relayers = 1, clock, step } = options;
  if (wanted !== undefined && !(await isFree(wanted))) throw new Error(`port ${wanted} is taken`);
  const directory = await prepareFolder(folder, options.fresh);
  const chosen = await choosePorts(options.freePorts ?? false);
  const ports = { ...chosen, api: wanted ?? chosen.api };
  const secretsFile = path.join(folder, 'secrets.json');
  const secrets = readDevSecrets(secretsFile);
  const ground = createParts();
  const services = createParts();
  const stop = async () => {
    await services.stop();
    await ground.stop();
  };
  const on = <Started extends Part>(name: string, work: () => Promise<Started>) =>
    ground.start(name, () => step(name, work));
  const run = (service: Service, baseUrl: string, environment: Environment) => {
    const logFile = path.join(folder, `${service.name}.log`);
    const name = `services/${service.name}`;
    return services.start(name, () => step(name, () => startService(service, { baseUrl, environment, logFile })));
  };
  try {
    const [database, chain, engine, feed, solana] = await Promise.all([
      on('PostgreSQL', () => startDatabase(directory, secrets)),
      on('Anvil with tokens and processor', () => startDevChain(folder, secrets, { port: ports.chain, relayers })),
      (settlement ?? webhooks) && on('Restate', () => startEngine(folder, ports.engine)),
      ground.start('the price feed', () => startPriceFeed(clock)),
      settlement && hasLocalSolana()
        ? on('Surfpool with tokens', () => startDevSolana(secrets, ports.solana))
        : undefined,
    ]);
    if (!(await chainFitsDatabase(database, chain))) {
      throw new Error('the chain has lost payments that the database knows of; start with --fresh');
    }
    if (solana !== undefined && !(await solanaFitsDatabase(database))) {
      throw new Error('the Solana chain of the last run is gone with a payment under way; start with --fresh');
    }
    const account = await step('account and payout', async () => {
      const operation: Operation = { pool: database.pool, nowMs: clock.nowMs(), actor: 'operator:dev' };
      const seeded = await seedAccount(operation, secrets, chain.network);
      writeDevSecrets(secretsFile, { ...secrets, account: seeded });
      await registerDevPayout(operation, seeded.id, chain);
      if (solana !== undefined) await sellOnSolana(operation, seeded.id, solana);
      return seeded;
    });
    const wiring = { secrets, ports, database, chain, solana, engine, feed };
    await Promise.all([
      settlement && run(settlement, settlementUrlOf(ports), settlementEnvironment(wiring)),
      webhooks && run(webhooks, webhooksUrlOf(ports), webhooksEnvironment(wiring)),
      run(api, apiUrlOf(ports), { ...options.apiSettings, ...apiEnvironment(wiring) }),
    ]);
    const ended = Promise.race([ground.ended, services.ended]);
    return { baseUrl: apiUrlOf(ports), account, chain, solana, databaseUrl: database.url, folder, ended, stop };
  } catch (problem) {
    await stop();
    throw problem;
  }
}
