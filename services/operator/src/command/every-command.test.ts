import { expect, test } from 'vitest';
import { paintFor } from '../output/paint.ts';
import type { Context } from './context.ts';
import { allCommands, buildProgram } from './program.ts';
import { runCommandLine } from './run-command-line.ts';

const context: Context = {
  clock: { nowMs: () => 1_794_744_000_000 },
  environment: {},
  paint: paintFor(false),
  say: () => {},
  ask: undefined,
};

async function run(...argv: string[]) {
  let [stdout, stderr] = ['', ''];
  const exitCode = await runCommandLine(argv, context, {
    out: (text) => {
      stdout += text;
    },
    error: (text) => {
      stderr += text;
    },
    outputOnTerminal: false,
    errorPaint: paintFor(false),
  });
  return { exitCode, stdout, stderr };
}

const commands = allCommands(buildProgram({ context, report: () => {} })).slice(1);
const pathOf = (command: (typeof commands)[number]): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];
const leaves = commands.filter((command) => command.commands.length === 0).map((command) => pathOf(command).join(' '));

test('there are the commands that the manual promises', () => {
  expect(leaves).toEqual([
    'migrate',
    'start',
    'accounts create',
    'accounts list',
    'keys create',
    'keys list',
    'keys roll',
    'keys sign-with',
    'keys revoke',
    'keys seal-key',
    'tokens list',
    'tokens enable',
    'tokens disable',
    'payouts set',
    'payouts list',
    'payouts sync',
    'contracts deploy',
    'contracts verify',
    'contracts pause',
    'relayers list',
    'relayers drain',
    'relayers retire',
    'relayers activate',
    'privacy export',
    'privacy erase',
    'audit seal',
    'audit verify',
    'ledger check',
    'doctor',
  ]);
});

test.each(leaves)(
  '%s has help with an example of itself, takes --json, and is called wrongly with 64',
  async (path) => {
    const help = await run(...path.split(' '), '--help');
    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    expect(help.stdout).toContain(`Examples:\n  $ npm run svc -- ${path}`);
    expect(help.stdout).toContain('--json');
    const wrong = await run(...path.split(' '), '--no-such-option', '--json');
    expect(wrong).toMatchObject({ exitCode: 64, stderr: '' });
    expect(JSON.parse(wrong.stdout)).toMatchObject({
      error: 'usage',
      message: expect.any(String),
    });
  },
);

test('no option of any command takes a secret', () => {
  const flags = commands.flatMap(({ options }) => options.map(({ flags: text }) => text));
  expect(flags.filter((text) => /secret|password|pepper|url|token|master/i.test(text))).toEqual([]);
});

test('a group without a command, and nothing at all, show help and count as called wrongly', async () => {
  for (const argv of [[], ['keys']]) {
    const { exitCode, stdout, stderr } = await run(...argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' });
    expect(stderr).toContain('Commands:');
  }
});

test('what is missing in the environment is named at once, and no value is repeated', async () => {
  const { exitCode, stderr } = await run('accounts', 'create', '--name', 'A shop');
  expect(exitCode).toBe(1);
  for (const name of ['SVC_DATABASE_URL', 'SVC_KEY_PEPPER', 'SVC_MASTER_KEYS']) expect(stderr).toContain(name);
});

test.each([
  ['an empty name', ['accounts', 'create', '--name', ' ']],
  ['a name that commands the terminal', ['accounts', 'create', '--name', 'a\u001B[31m']],
  ['an overlap over seven days', ['keys', 'roll', '--account', 'acct_a', '--mode', 'test', '--overlap', '8d']],
  ['a mode that is none', ['keys', 'list', '--mode', 'staging']],
  ['a payer too short to search for', ['privacy', 'export', '0x']],
  ['an erasure that nobody confirms', ['privacy', 'erase', `0x${'ab'.repeat(20)}`]],
])('%s is refused as called wrongly, before anything is opened', async (_, argv) => {
  expect(await run(...argv)).toMatchObject({ exitCode: 64, stdout: '' });
});

test('a key pasted where its id belongs is not repeated', async () => {
  const { exitCode, stdout, stderr } = await run('keys', 'revoke', 'sk_live_canary');
  expect(exitCode).toBe(1);
  expect(stdout + stderr).not.toContain('canary');
});
