// The folder that `svc init` writes, as an operator edits it, and the environments that processes get from it.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { type CommandRun, svc } from '../../e2e/run-svc.ts';

export type Installation = {
  readonly folder: string;
  readonly inFolder: (...names: readonly string[]) => string;
  /** Content of a file under `secrets`. */
  readonly secret: (name: string) => string;
  readonly writeSecret: (name: string, content: string) => void;
  readonly environmentOf: (program: string) => Record<string, string>;
  /** Sets a line of an environment file, or adds it. */
  readonly setLine: (program: string, name: string, value: string) => void;
  /** The operator's command with the settings of `command.env`. Fails unless it ends with 0. */
  readonly run: (...argv: readonly string[]) => Promise<string>;
  readonly ask: (...argv: readonly string[]) => Promise<Record<string, unknown>>;
  /** The same, whatever it ends with, and with more settings. */
  readonly tryCommand: (more: Readonly<Record<string, string>>, ...argv: readonly string[]) => Promise<CommandRun>;
};

export async function initInstallation(folder: string, database: string): Promise<Installation> {
  const networks = ['--network', 'anvil', '--network', 'solana:devnet'];
  const words = ['--for', 'server', ...networks, '--public', 'https://pay.example.com', '--database', database];
  const made = await svc({}, 'init', folder, ...words);
  if (made.exitCode !== 0) throw new Error(made.stderr);
  const inFolder = (...names: readonly string[]) => path.join(folder, ...names);
  const read = (...names: readonly string[]) => readFileSync(inFolder(...names), 'utf8');
  const environmentOf = (program: string) => parseEnv(read(`${program}.env`)) as Record<string, string>;
  const tryCommand = (more: Readonly<Record<string, string>>, ...argv: readonly string[]) =>
    svc({ ...environmentOf('command'), ...more }, ...argv);
  const run = async (...argv: readonly string[]) => {
    const { exitCode, stdout, stderr } = await tryCommand({}, ...argv);
    if (exitCode !== 0) throw new Error(`svc ${argv.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  };
  return {
    folder,
    inFolder,
    secret: (name) => read('secrets', name).trim(),
    // The file keeps its owner and its mode.
    writeSecret: (name, content) => writeFileSync(inFolder('secrets', name), `${content}\n`, { mode: 0o600 }),
    environmentOf,
    setLine: (program, name, value) => {
      const lines = read(`${program}.env`).split('\n');
      const others = lines.filter((line) => line !== '' && !line.startsWith(`${name}=`));
      writeFileSync(inFolder(`${program}.env`), `${[...others, `${name}=${value}`].join('\n')}\n`);
    },
    run,
    ask: async (...argv) => JSON.parse(await run(...argv, '--json')) as Record<string, unknown>,
    tryCommand,
  };
}
