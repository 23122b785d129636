import { Argument, type Command } from 'commander';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { environmentWith } from '../config.ts';
import { done, failed, type Outcome } from '../output/outcome.ts';
import { runServices } from '../service/run-services.ts';
import { findService, SERVICE_NAMES, type ServiceName } from '../service/services.ts';
import { stopSignal } from '../service/stop-signal.ts';

export function startCommand(surroundings: Surroundings): Command {
  const about =
    'Run a service, or all on this machine, until told to stop. Logs go to standard error; when one ends, all do.';
  return leaf('start', about, ['start api', 'start all'])
    .addArgument(new Argument('<service>', 'which one').choices([...SERVICE_NAMES, 'all']))
    .action(runs(surroundings, start));
}

async function start({ positionals: [name], context }: Input<unknown>): Promise<Outcome> {
  const names = name === 'all' ? SERVICE_NAMES : [name as ServiceName];
  const found = names.map((each) => ({ name: each, service: findService(each) }));
  const absent = found.find(({ service }) => service === undefined);
  if (absent !== undefined) {
    return failed(
      'service_absent',
      `This checkout has no services/${absent.name}.`,
      'Check out a release that has it.',
    );
  }
  const services = runServices(
    found.flatMap(({ service }) => service ?? []),
    {
      env: environmentWith(context.environment),
      // Standard output stays ours: with --json there is one document on it.
      stdio: ['ignore', process.stderr, 'inherit'],
    },
  );
  const first = await Promise.race([stopSignal(), services.ended]);
  await services.stop();
  const { name: ended, exitCode } = await services.ended;
  if (typeof first === 'string' || exitCode === 0) return done({ service: name, exitCode }, `${name} has stopped.`);
  return failed('service_ended', `${ended} ended by itself with exit code ${exitCode}.`, 'Its log above says why.');
}
