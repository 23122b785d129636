// npm run dev: PostgreSQL and the API with an account to try things with. Needs Node and what npm installed.
//   --port <number>   listen there (default: 8402, or a free one when it is taken)
//   --fresh           forget what earlier runs made
//   --folder <path>   keep everything there (default: .cache/dev)
//   --json            print one JSON document when it runs, and nothing else
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemClock } from '@svc-pay/core';
import { EXIT_FAILED, EXIT_USAGE } from '../output/outcome.ts';
import { paintFor } from '../output/paint.ts';
import { findService } from '../service/services.ts';
import { stopSignal } from '../service/stop-signal.ts';
import { banner, curl } from './banner.ts';
import { startWorld } from './start-world.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const USAGE = 'npm run dev -- [--port <number>] [--fresh] [--folder <path>] [--json]';

process.exitCode = await run();

async function run(): Promise<number> {
  const options = readOptions();
  if (options === undefined) return complain(`called wrongly: ${USAGE}`, EXIT_USAGE);
  const api = findService('api');
  if (api === undefined) return complain('this checkout has no services/api', EXIT_FAILED);

  const stopped = stopSignal();
  process.stderr.write('starting PostgreSQL and the API …\n');
  const start = await startWorld({ api, ...options, clock: systemClock }).catch((problem: unknown) => ({
    ok: false as const,
    reason: problem instanceof Error ? problem.message : 'no reason given',
  }));
  if (!start.ok) return complain(`it did not start: ${start.reason}`, EXIT_FAILED);

  const { world } = start;
  const { baseUrl, account } = world;
  const document = { baseUrl, account, curl: curl(baseUrl, account.publishableKey) };
  const onTerminal = process.stdout.isTTY && process.stdout.hasColors();
  process.stdout.write(`${options.json ? JSON.stringify(document, null, 2) : banner(world, paintFor(onTerminal))}\n`);

  const reason = await Promise.race([stopped, world.ended]);
  await world.stop();
  return reason === 'SIGINT' || reason === 'SIGTERM' ? 0 : complain(reason, EXIT_FAILED);
}

type Options = {
  readonly port: number | undefined;
  readonly fresh: boolean;
  readonly folder: string;
  readonly json: boolean;
};

function readOptions(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string' },
        folder: { type: 'string', default: path.join(ROOT, '.cache/dev') },
        fresh: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const { port: text, ...others } = values;
    if (text === undefined) return { port: undefined, ...others };
    const port = /^\d{1,5}$/.test(text) ? Number.parseInt(text, 10) : 0;
    return port >= 1 && port <= 65_535 ? { port, ...others } : undefined;
  } catch {
    return undefined;
  }
}

function complain(reason: string, exitCode: number): number {
  process.stderr.write(`npm run dev: ${reason}\n`);
  return exitCode;
}
