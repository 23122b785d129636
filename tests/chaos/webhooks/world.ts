// Two senders, each with an engine of its own, over one database: nobody but the database keeps the two apart. And the
// merchants' servers, as another process.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts } from '@svc-pay/engine/server';
import { type MortalEngine, startMortalEngine } from '../harness/mortal-engine.ts';
import { type MortalPostgres, startMortalPostgres } from '../harness/mortal-postgres.ts';
import { createProgram, type Program } from '../harness/program.ts';
import type { SeededBug } from './seeded-bugs.ts';

export type WorldPlan = {
  readonly seed: number;
  readonly leaseMs: number;
  readonly slowestAnswerMs: number;
  readonly bug?: SeededBug | undefined;
};

export type ChaosWorld = {
  readonly directory: string;
  readonly receiverLog: string;
  readonly masterKey: Uint8Array;
  readonly postgres: MortalPostgres;
  readonly engines: readonly MortalEngine[];
  readonly senders: readonly Program[];
  readonly receiver: Program;
  readonly leaseMs: number;
  /** Ends every process; the folder with the evidence goes too unless it is to be kept. */
  readonly stop: (keep: boolean) => Promise<void>;
};

const SENDERS = 2;
const SHARDS = '4';
const beside = (file: string) => path.join(import.meta.dirname, file);

export async function startChaosWorld({ seed, leaseMs, slowestAnswerMs, bug }: WorldPlan): Promise<ChaosWorld> {
  const directory = mkdtempSync(path.join(tmpdir(), 'svc-chaos-'));
  // The database server may run as somebody else.
  chmodSync(directory, 0o755);
  const inside = (name: string) => path.join(directory, name);
  const stops: (() => Promise<void>)[] = [];
  const stop = async (keep: boolean) => {
    for (let next = stops.pop(); next !== undefined; next = stops.pop()) await next();
    if (!keep) rmSync(directory, { recursive: true, force: true });
  };
  try {
    const stoppable = async <Part extends { stop: () => Promise<void> }>(starting: Promise<Part>): Promise<Part> => {
      const part = await starting;
      stops.push(part.stop);
      return part;
    };
    const [postgres, ...engines] = await Promise.all([
      stoppable(startMortalPostgres(inside('postgres'))),
      ...Array.from({ length: SENDERS }, (_, index) => stoppable(startMortalEngine(inside(`engine-${index}`)))),
    ]);
    await postgres.pool.query("create role chaos_webhooks login password 'x' in role svc_webhooks");
    const databaseUrl = Object.assign(new URL(postgres.url), { username: 'chaos_webhooks', password: 'x' }).href;
    const masterKey = randomBytes(32);
    const receiverLog = inside('receiver.log');
    const receiver = createProgram({
      file: beside('../harness/receiver.ts'),
      arguments: [receiverLog, String(seed), String(slowestAnswerMs), String((await freePorts()).node)],
      environment: {},
      logFile: inside('receiver.out'),
    });
    stops.push(receiver.kill);
    await receiver.start();

    const enginePorts = await Promise.all(engines.map(async () => (await freePorts()).node));
    const senders = engines.map((engine, index) =>
      createProgram({
        file: beside('worker.ts'),
        arguments: [String(leaseMs), ...(bug === undefined ? [] : [bug])],
        environment: {
          SVC_DATABASE_URL: databaseUrl,
          SVC_MASTER_KEYS: `1:${masterKey.toString('base64')}`,
          SVC_WEBHOOKS_MODES: 'test',
          SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
          SVC_WEBHOOKS_SHARDS: SHARDS,
          SVC_WEBHOOKS_PORT: '0',
          SVC_WEBHOOKS_ENGINE_PORT: String(enginePorts[index]),
          SVC_ENGINE_ADMIN_URL: engine.adminUrl,
          SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
        },
        logFile: inside(`sender-${index}.log`),
      }),
    );
    for (const sender of senders) stops.push(sender.kill);
    await Promise.all(senders.map((sender) => sender.start()));
    return { directory, receiverLog, masterKey, postgres, engines, senders, receiver, leaseMs, stop };
  } catch (problem) {
    await stop(true);
    throw problem;
  }
}
