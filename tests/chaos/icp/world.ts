// Everything an operator runs for the Internet Computer, each as its own process: an API, two settlements, webhooks,
// PostgreSQL, the engine and the merchants' server. The local Internet Computer lives in this process, and outlives them all.
import path from 'node:path';
import { freePorts } from '@svc-pay/engine/server';
import { type LocalInternetComputer, type LocalLedger, startLocalInternetComputer } from '@svc-pay/icp/local';
import { type History, openHistory } from '../harness/history.ts';
import { type MortalEngine, startMortalEngine } from '../harness/mortal-engine.ts';
import { type MortalPostgres, startMortalPostgres } from '../harness/mortal-postgres.ts';
import { createProgram, type Program } from '../harness/program.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openWorldFolder } from '../harness/world-folder.ts';
import { openEndpoint } from '../settlement/open-endpoint.ts';
import { createServicePrograms, type ServicePrograms } from '../settlement/service-programs.ts';
import { type IcpBug, plantInDatabase } from './icp-bugs.ts';
import { type IcpShop, openIcpShop } from './icp-shop.ts';

export const TOKEN_LEDGER = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';

export type IcpChaosWorld = ServicePrograms & {
  readonly directory: string;
  readonly history: History;
  readonly receiverLog: string;
  readonly postgres: MortalPostgres;
  readonly engine: MortalEngine;
  readonly ic: LocalInternetComputer;
  readonly ledger: LocalLedger;
  readonly shops: readonly IcpShop[];
  readonly receiver: Program;
  /** Of the operator's command. */
  readonly operatorEnvironment: Readonly<Record<string, string>>;
  readonly stop: (keep: boolean) => Promise<void>;
};

const COUNTS = { apis: 1, settlements: 2, senders: 1 };
const SHOPS = 2;
const READ_MS = 60_000;
const SLOWEST_ANSWER_MS = '50';
/** Blocks move to the archive while the run goes on. */
const ARCHIVE = { above: 100, count: 60 };
/** A boundary node that does not answer is given up before a notification is. */
const TIMEOUT_MS = '3500';
const EVENT_TYPES = [
  'payment_intent.created',
  'payment_intent.canceled',
  'payment.created',
  'payment.updated',
  'payment.completed',
  'payment.failed',
  'payment.cancelled',
  'payment.refunded',
];
const beside = (file: string) => path.join(import.meta.dirname, file);

export async function startIcpChaosWorld(seed: number, bug: IcpBug | undefined): Promise<IcpChaosWorld> {
  const { directory, inside, onStop, stoppable, stop } = openWorldFolder('svc-chaos-');
  try {
    const [postgres, engine, ic] = await Promise.all([
      stoppable(startMortalPostgres(inside('postgres'))),
      stoppable(startMortalEngine(inside('engine'))),
      stoppable(startLocalInternetComputer()),
    ]);
    const ledger = await ic.installLedger({ canisterId: TOKEN_LEDGER, archive: ARCHIVE });
    await plantInDatabase(postgres.pool, bug);
    const history = openHistory(inside('history.log'));
    onStop(history.close);
    const shops: IcpShop[] = [];
    for (let index = 0; index < SHOPS; index += 1) shops.push(await openIcpShop(postgres.pool, `shop ${index}`));
    const receiverLog = inside('receiver.requests');
    const receiverPort = (await freePorts()).node;
    const receiver = createProgram({
      file: beside('../harness/receiver.ts'),
      arguments: [receiverLog, String(seed), SLOWEST_ANSWER_MS, String(receiverPort)],
      environment: {},
      logFile: inside('receiver.log'),
    });
    onStop(receiver.kill);
    const urlOf = (id: string) => `http://127.0.0.1:${receiverPort}/${id}`;
    const endpointSecrets: string[] = [];
    for (const shop of shops)
      endpointSecrets.push(await openEndpoint(postgres.pool, shop, urlOf, { eventTypes: EVENT_TYPES }));
    const networks = {
      'icp:local': { ready: true, rpcUrls: [ic.url], rootKey: Buffer.from(ic.rootKey).toString('hex') },
    };
    const services = await createServicePrograms({
      inside,
      postgres,
      networks,
      files: { settlement: beside('settlement-process.ts'), api: beside('api-process.ts') },
      engineOf: () => ({ admin: engine.adminUrl, ingress: engine.ingressUrl }),
      counts: COUNTS,
      bug,
      settlement: { SVC_SETTLEMENT_RPC_TIMEOUT_MS: TIMEOUT_MS },
    });
    const programs = [receiver, ...services.settlements, ...services.apis, ...services.senders];
    onStop(...programs.map((program) => program.kill));
    await Promise.all(programs.map((program) => program.start()));
    const isRead = async () => {
      const { rowCount } = await postgres.pool.query('select from svc.icrc_cursors where read_at is not null');
      return rowCount === 1;
    };
    if (!(await waitUntil(isRead, READ_MS))) throw new Error('the token ledger is not read');
    return {
      ...services,
      directory,
      history,
      receiverLog,
      postgres,
      engine,
      ic,
      ledger,
      shops,
      receiver,
      operatorEnvironment: { SVC_DATABASE_URL: postgres.url, SVC_NETWORKS: JSON.stringify(networks) },
      secrets: [...services.secrets, ...shops.map(({ secretKey }) => secretKey), ...endpointSecrets],
      stop,
    };
  } catch (problem) {
    await stop(true);
    throw problem;
  }
}
