// npm run dev: the whole service on this machine, with an account to try it. Needs only Node and the npm packages.
//   --port <number>   API port (default: 8402, or a free one if taken)
//   --fresh           delete the data of earlier runs
//   --folder <path>   folder for all data (default: .cache/dev)
//   --json            print one JSON document when ready, and nothing else
//   --check           start a separate world, pay in it (exact and up-to), and exit: 0 if all is well
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemClock } from '@svc-pay/core';
import { findService } from '@svc-pay/runtime/process/find-service';
import { stopSignal } from '@svc-pay/runtime/process/stop-signal';
import { EXIT_FAILED, EXIT_USAGE } from '@svc-pay/runtime/terminal/exit-codes';
import { paintFor } from '@svc-pay/runtime/terminal/paint';
import { banner, documentOf } from './banner.ts';
import { check } from './check.ts';
import { startWorld } from './start-world.ts';
import { createSteps } from './steps.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const USAGE = 'npm run dev -- [--port <number>] [--fresh] [--folder <path>] [--json] [--check]';

const onTerminal = (stream: NodeJS.WriteStream) => stream.isTTY && stream.hasColors();
const step = createSteps({
  print: (text) => process.stderr.write(text),
  onTerminal: onTerminal(process.stderr),
  paint: paintFor(onTerminal(process.stderr)),
});

process.exitCode = await run().catch((problem: unknown) =>
  complain(problem instanceof Error ? problem.message : 'no reason given', EXIT_FAILED),
);

async function run(): Promise<number> {
  const options = readOptions();
  if (options === undefined) return complain(`called wrongly: ${USAGE}`, EXIT_USAGE);
  const [api, settlement, webhooks] = [findService('api'), findService('settlement'), findService('webhooks')];
  if (api === undefined) return complain('this checkout has no services/api', EXIT_FAILED);
  const stopped = stopSignal();
  if (options.check) {
    if (settlement === undefined) return complain('this checkout has no services/settlement', EXIT_FAILED);
    const paid = await check({ api, settlement, webhooks, clock: systemClock, step, stopped });
    process.stdout.write(`${paid}\n`);
    return 0;
  }
  const world = await startWorld({ ...options, api, settlement, webhooks, clock: systemClock, step });
  const paint = paintFor(onTerminal(process.stdout));
  process.stdout.write(
    `${options.json ? JSON.stringify(documentOf(world), null, 2) : banner(world, settlement !== undefined, paint)}\n`,
  );
  const reason = await Promise.race([stopped, world.ended]);
  await world.stop();
  if (reason === 'SIGINT' || reason === 'SIGTERM') return 0;
  return complain(`${reason} ended by itself; logs are in ${world.folder}`, EXIT_FAILED);
}

type Options = {
  readonly port: number | undefined;
  readonly fresh: boolean;
  readonly folder: string;
  readonly json: boolean;
  readonly check: boolean;
};

function readOptions(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string' },
        folder: { type: 'string', default: path.join(ROOT, '.cache/dev') },
        fresh: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
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
