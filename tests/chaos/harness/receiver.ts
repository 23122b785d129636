// Merchants' servers in one process: <log file> <seed> <slowest answer in ms> [<port>]. Logs every request before it
// answers. Some answers are a 500, some drip, some hang, some are cut off; in calm mode all are good.
import { createHash } from 'node:crypto';
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nowMs } from './clock.ts';
import { createDice } from './dice.ts';

const [logFile = '', seed = '', slowest = '', port = '0'] = process.argv.slice(2);
const slowestMs = Number.parseInt(slowest, 10);
const log = openSync(logFile, 'a');
// Mixed with the time, so that a restarted process makes other choices.
const dice = createDice(Number.parseInt(seed, 10) ^ nowMs());
let calm = false;
/** If set, overrides the mood of every answer. */
let told: Mood | undefined;

type Mood = 'well' | 'broken' | 'hang' | 'drip' | 'cut';
const MOODS: readonly (readonly [Mood, number])[] = [
  ['broken', 0.02],
  ['drip', 0.01],
  ['cut', 0.004],
  ['hang', 0.003],
];

function chooseMood(): Mood {
  let left = dice.roll();
  if (told !== undefined) return told;
  if (calm) return 'well';
  for (const [mood, share] of MOODS) {
    left -= share;
    if (left < 0) return mood;
  }
  return 'well';
}

const DRIP_MS = 50;
const DRIPS = 5;

function answer(response: ServerResponse, mood: Mood): void {
  if (mood === 'hang') return;
  if (mood === 'cut') return void response.destroy();
  if (mood === 'broken') return void response.writeHead(500).end('broken');
  response.writeHead(200);
  if (mood === 'well') return void response.end();
  const drip = (left: number): void => {
    if (left === 0) response.end();
    else response.write('.', () => setTimeout(() => drip(left - 1), DRIP_MS));
  };
  drip(DRIPS);
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const mood = chooseMood();
    const header = (name: string) => String(request.headers[name] ?? '');
    const line = {
      at: nowMs(),
      endpoint: (request.url ?? '').slice(1),
      event: header('webhook-id'),
      sequence: header('x-svc-sequence'),
      signature: header('x-svc-signature'),
      body: createHash('sha256').update(Buffer.concat(chunks)).digest('hex'),
      mood,
    };
    writeSync(log, `${JSON.stringify(line)}\n`);
    setTimeout(() => answer(response, mood), dice.roll() * slowestMs);
  });
});

process.on('message', (message: { readonly calm?: boolean; readonly mood?: Mood | 'any' }) => {
  if (message.mood !== undefined) told = message.mood === 'any' ? undefined : message.mood;
  else calm = message.calm === true;
});
process.once('disconnect', () => {
  fdatasyncSync(log);
  closeSync(log);
  process.exit(0);
});
server.listen(Number.parseInt(port, 10), '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', port: (server.address() as AddressInfo).port }));
});
