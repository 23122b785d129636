import { liveNetworkOf } from '@svc-pay/runtime/config/networks';
import { childEnvironment } from '@svc-pay/runtime/process/config';
import { findService, SERVICE_NAMES, type ServiceName } from '@svc-pay/runtime/process/find-service';
import { runServices } from '@svc-pay/runtime/process/run-services';
import { stopSignal } from '@svc-pay/runtime/process/stop-signal';
import { Argument, type Command } from 'commander';
import type { Context, Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { misconfigured } from '../command/with-operation.ts';
import { readOperatorConfig } from '../config.ts';
import { type CommandOutcome, done, type Failure, failed } from '../output/outcome.ts';

export function startCommand(surroundings: Surroundings): Command {
  const about =
    'Run one service, or all of them, until SIGTERM or Ctrl-C. Each gets its own settings alone. Logs go to ' +
    'standard error. With `all`, every service stops when one stops; the admin service and the console are not among them. `all` ' +
    'refuses beside a live network, because all services then share one database role.';
  return leaf('start', about, ['start api', 'start all'])
    .addArgument(new Argument('<service>', 'which one').choices([...SERVICE_NAMES, 'admin', 'console', 'all']))
    .action(runs(surroundings, start));
}

async function start({ positionals: [name], context }: Input<unknown>): Promise<CommandOutcome> {
  const refused = name === 'all' ? refusalOfAll(context) : undefined;
  if (refused !== undefined) return refused;
  const names: readonly ServiceName[] = name === 'all' ? SERVICE_NAMES : [name as ServiceName];
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
    found.flatMap(({ service }) =>
      service === undefined ? [] : [{ ...service, env: childEnvironment(service.name, context.environment) }],
    ),
    {
      // The services write to standard error: with --json standard output carries exactly one document.
      stdio: ['ignore', process.stderr, 'inherit'],
    },
  );
  const first = await Promise.race([stopSignal(), services.ended]);
  await services.stop();
  const { name: ended, exitCode } = await services.ended;
  if (typeof first === 'string' || exitCode === 0) return done({ service: name, exitCode }, `${name} has stopped.`);
  return failed('service_ended', `${ended} ended by itself with exit code ${exitCode}.`, 'Its log above says why.');
}

/** Networks that can't be read may be live ones. */
function refusalOfAll({ environment }: Context): Failure | undefined {
  const read = readOperatorConfig([], environment);
  if (!read.ok) return misconfigured(read.problems);
  const live = liveNetworkOf(read.config.networks);
  if (live === undefined) return undefined;
  return failed(
    'live_network',
    `All services at once would share one database role and one environment beside ${live}.`,
    'Start each service by itself, with a login role of its own group.',
  );
}
