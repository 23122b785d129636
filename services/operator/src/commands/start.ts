import { Argument, type Command } from 'commander';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { environmentWith } from '../config.ts';
import { done, failed, type Outcome } from '../output/outcome.ts';
import { runServices } from '../service/run-services.ts';
import { findService, SERVICE_NAMES, type ServiceName } from '../service/services.ts';
import { stopSignal } from '../service/stop-signal.ts';

export function startCommand(surroundings: Surroundings): Command {
  return leaf('start', 'Run a service until it is told to stop. Its log goes to standard error.', ['start api'])
    .addArgument(new Argument('<service>', 'which one').choices(SERVICE_NAMES))
    .action(runs(surroundings, startOne));
}

async function startOne({ positionals: [name], context }: Input<unknown>): Promise<Outcome> {
  const service = findService(name as ServiceName);
  if (service === undefined) {
    return failed('service_absent', `This checkout has no services/${name}.`, 'Check out a release that has it.');
  }
  const services = runServices([service], {
    env: environmentWith(context.environment),
    // Standard output stays ours: with --json there is one document on it.
    stdio: ['ignore', process.stderr, 'inherit'],
  });
  const first = await Promise.race([stopSignal(), services.ended]);
  await services.stop();
  const { exitCode } = await services.ended;
  if (typeof first === 'string' || exitCode === 0) return done({ service: name, exitCode }, `${name} has stopped.`);
  return failed('service_ended', `${name} ended by itself with exit code ${exitCode}.`, 'Its log above says why.');
}
