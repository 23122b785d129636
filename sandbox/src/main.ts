// npm run sandbox: the whole service with a shop, a test wallet and a timeline page. Needs only Node and the npm
// packages. --fresh           delete the data of earlier runs --folder <path>   folder for all data (default:
// .cache/sandbox) --json            print one JSON document when ready, and nothing else --check           start a
// separate sandbox, run every flow, and exit: 0 if all is well
import path from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '@svc-pay/core';
import { stopSignal } from '@svc-pay/runtime/process/stop-signal';
import { EXIT_FAILED, EXIT_USAGE } from '@svc-pay/runtime/terminal/exit-codes';
import { paintFor } from '@svc-pay/runtime/terminal/paint';
import { banner, documentOf } from './banner.ts';
import { check } from './check/check.ts';
import { choosePort } from './local/choose-port.ts';
import { createSteps } from './local/steps.ts';
import { startSandbox } from './start-sandbox.ts';
import { writeEnvFile } from './write-env-file.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const USAGE = 'npm run sandbox -- [--fresh] [--folder <path>] [--json] [--check]';
const USUAL_PORTS = { shop: 8420, timeline: 8421 };

const onTerminal = (stream: NodeJS.WriteStream) => stream.isTTY && stream.hasColors();
const print = (text: string) => void process.stderr.write(text);
const paint = paintFor(onTerminal(process.stderr));
const step = createSteps({ print, onTerminal: onTerminal(process.stderr), paint });

process.exitCode = await run().catch((problem: unknown) =>
  complain(problem instanceof Error ? problem.message : 'no reason given', EXIT_FAILED),
);

async function run(): Promise<number> {
  const options = readOptions();
  if (options === undefined) return complain(`called wrongly: ${USAGE}`, EXIT_USAGE);
  const stopped = stopSignal();
  if (options.check) return check({ clock: systemClock, step, stopped, print: (text) => process.stdout.write(text) });
  const startMs = performance.now();
  const [shop, timeline] = await Promise.all([choosePort(USUAL_PORTS.shop), choosePort(USUAL_PORTS.timeline)]);
  const sandbox = await startSandbox({
    folder: options.folder,
    fresh: options.fresh,
    freePorts: false,
    ports: { shop, timeline },
    clock: systemClock,
    step,
    complain: (text) => print(`${text}\n`),
  });
  writeEnvFile(sandbox);
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
  const document = options.json
    ? `${JSON.stringify(documentOf(sandbox), null, 2)}\n`
    : banner(sandbox, seconds, paintFor(onTerminal(process.stdout)));
  process.stdout.write(document);
  const reason = await Promise.race([stopped, sandbox.ended]);
  await sandbox.stop();
  if (reason === 'SIGINT' || reason === 'SIGTERM') return 0;
  return complain(`${reason} ended by itself; logs are in ${sandbox.world.folder}`, EXIT_FAILED);
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        folder: { type: 'string', default: path.join(ROOT, '.cache/sandbox') },
        fresh: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch {
    return undefined;
  }
}

function complain(reason: string, exitCode: number): number {
  process.stderr.write(`npm run sandbox: ${reason}\n`);
  return exitCode;
}
