// The attackers as a process of their own: <ground file> <result file> <requests a second>. Prepares, says that it listens,
// rehearses and attacks for as many seconds as it is told, and writes what happened.
import { readFileSync, writeFileSync } from 'node:fs';
import { createApiClient } from './api-client.ts';
import type { Ground } from './attacker.ts';
import { loadAttackers } from './load-attackers.ts';
import { createOnslaught, type Onslaught } from './onslaught.ts';

/** What the driver writes. */
export type HostileResult = {
  /** Requests of the rehearsal, which the records contain too. */
  readonly rehearsed: number;
  readonly records: ReturnType<Onslaught['records']>;
  readonly seconds: ReturnType<Onslaught['seconds']>;
};

const [groundFile = '', resultFile = '', perSecond = ''] = process.argv.slice(2);
const ground = JSON.parse(readFileSync(groundFile, 'utf8')) as Ground;
const client = createApiClient(ground.apiUrls);
const onslaught = createOnslaught(await loadAttackers(), ground, client, Number.parseInt(perSecond, 10));

process.on('message', (message: { readonly attackSeconds?: number; readonly rehearseSeconds?: number }) => {
  if (message.rehearseSeconds !== undefined) void rehearse(message.rehearseSeconds);
  if (message.attackSeconds !== undefined) void attack(message.attackSeconds);
});
process.once('disconnect', () => process.exit(0));

const requests = () => onslaught.records().reduce((sum, { sent }) => sum + sent, 0);
let rehearsed = 0;

async function rehearse(seconds: number): Promise<void> {
  await onslaught.run(seconds);
  onslaught.end();
  rehearsed = requests();
  process.send?.({ rehearsed: true });
}

async function attack(seconds: number): Promise<void> {
  await onslaught.run(seconds);
  const result: HostileResult = { rehearsed, records: onslaught.records(), seconds: onslaught.seconds() };
  writeFileSync(resultFile, JSON.stringify(result));
  onslaught.end();
  await client.close();
  process.send?.({ attacked: true });
}

await onslaught.prepare();
console.log(JSON.stringify({ msg: 'listening', port: ground.slowReceiverPort }));
