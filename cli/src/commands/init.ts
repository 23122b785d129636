import { type Command, Option } from 'commander';
import type { Input } from '../command/context.ts';
import { COMMAND, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { type InitChoices, type InitOptions, readChoices } from '../init/choices.ts';
import { type WrittenFolder, writeFolder } from '../init/write-folder.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { harmless } from '../output/table.ts';

export function initCommand(surroundings: Surroundings): Command {
  const about =
    'Write a folder with everything a first deployment needs: secrets, SQL for the database roles, one environment file per service, the networks, and a compose file. A file that exists is never changed; what is missing is written. In a folder that was complete, a missing secret is an error.';
  return leaf('init', about, [
    'init /etc/svc-pay --network base-sepolia --public https://pay.example.com --image svc-pay:0.1.0',
    'init /etc/svc-pay --for server --network base --public https://pay.example.com --origin https://shop.example.com',
  ])
    .argument('<folder>', 'where to write; keep the folder there: the files name each other by this path')
    .addOption(
      new Option('--for <form>', 'containers of one machine, or processes on it')
        .choices(['compose', 'server'])
        .default('compose'),
    )
    .option('--network <name...>', 'networks, such as base, base-sepolia, polygon, arbitrum, solana, solana-devnet')
    .requiredOption('--public <address>', 'address of the API from outside')
    .option('--console <address>', 'address of the console, at a host name of its own; without it no console is set up')
    .option('--origin <origin...>', 'origins of the pages that may call the API with a publishable key')
    .option('--proxy <address...>', 'addresses of your own proxies in front of the API (default: Caddy’s)')
    .option(
      '--hops <number>',
      'how many of your proxies a request passes, Caddy among them (default: 1, or 2 with --proxy before Caddy)',
    )
    .option('--database <place>', 'host:port/name of the database')
    .option('--image <name>', 'image of the release, for the compose file')
    .option('--subnet <range>', 'addresses of the network between Caddy and the API', '172.30.84.0/24')
    .option('--relayers <number>', 'relayer keys to make per chain family; 0 for keys in a KMS', '1')
    .option('--owner <uid:gid>', 'user of the services, who owns the files (default: you; 65532 if you are root)')
    .action(runs<InitOptions>(surroundings, init));
}

async function init({ positionals: [folder = ''], options }: Input<InitOptions>): Promise<CommandOutcome> {
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const read = readChoices(folder, options, self);
  if (!read.ok) return misused(read.problem, read.advice);
  const { choices } = read;
  let result: WrittenFolder;
  try {
    result = await writeFolder(choices);
  } catch (problem) {
    return failed('not_written', harmless(String(problem)), 'Nothing that existed was changed. Run the command again.');
  }
  if (!result.ok) return refused(choices.folder, result);
  return done({ folder: choices.folder, ...result }, shownFolder(choices, result));
}

function refused(folder: string, result: Extract<WrittenFolder, { ok: false }>): CommandOutcome {
  if (result.code === 'foreign')
    return failed(
      'foreign_folder',
      `${folder} holds files, and none of an installation; nothing was changed.`,
      'Name a folder that does not exist or is empty: `init` closes its folder to all others.',
    );
  const [names, verb] = [result.files.join(', '), result.files.length === 1 ? 'is' : 'are'];
  const back = 'Copy them back from where you keep a second copy.';
  return result.code === 'missing'
    ? failed(
        'secrets_missing',
        `${names} existed before and ${verb} gone; nothing was changed.`,
        `${back} A new secret would not fit the database and the other services.`,
      )
    : failed(
        'secrets_empty',
        `${names} ${verb} empty; nothing was changed.`,
        `${back} If the installation never had them, remove the empty files and run the command again.`,
      );
}

function shownFolder(
  { folder, form, chains }: InitChoices,
  { written, kept, addresses }: Extract<WrittenFolder, { ok: true }>,
): string {
  const keys = Object.entries(addresses).map(([file, address]) => `  ${address}  ${file}`);
  const up =
    form === 'compose'
      ? ['docker compose up -d postgres restate', 'docker compose run --rm svc migrate', 'docker compose up -d']
      : [`psql -d <database> -f ${folder}/roles.sql`, `${COMMAND} migrate, with the settings of command.env`];
  return [
    `${folder}: ${written.length} files written, ${kept.length} kept.`,
    ...(keys.length === 0 ? [] : ['Keys that need coin and their role on the processor:', ...keys]),
    'Keep a second copy of secrets/ and relayers/ elsewhere: without them nobody can open what the database has sealed.',
    'Next:',
    `  1. Write addresses of nodes and processors into networks.json (${chains.map(({ network }) => network).join(', ')}).`,
    ...up.map((line, index) => `  ${index + 2}. ${line}`),
    `  ${up.length + 2}. ${COMMAND} doctor --folder ${folder}`,
  ].join('\n');
}
