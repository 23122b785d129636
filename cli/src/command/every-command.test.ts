import { paintFor } from '@svc-pay/runtime/terminal/paint';
import { expect, test } from 'vitest';
import { callSvc } from '../testing/call-svc.ts';
import type { Context } from './context.ts';
import { allCommands, buildProgram } from './program.ts';

const context: Context = {
  clock: { nowMs: () => 1_794_744_000_000 },
  environment: {},
  paint: paintFor(false),
  print: () => {},
  ask: undefined,
};

const run = (...argv: string[]) => callSvc({}, ...argv);

const commands = allCommands(buildProgram({ context, report: () => {} })).slice(1);
const pathOf = (command: (typeof commands)[number]): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];
const leaves = commands.filter((command) => command.commands.length === 0).map((command) => pathOf(command).join(' '));

test('there are the commands that the manual promises', () => {
  expect(leaves).toEqual([
    'init',
    'migrate',
    'start',
    'operators create',
    'operators list',
    'operators disable',
    'operators roll',
    'people invite',
    'people list',
    'people disable',
    'people recover',
    'people operator',
    'accounts create',
    'accounts list',
    'accounts close',
    'accounts limits set',
    'accounts limits show',
    'accounts metadata set',
    'accounts metadata show',
    'accounts mismatch set',
    'accounts mismatch show',
    'accounts move',
    'accounts publishable set',
    'accounts publishable show',
    'accounts seller set',
    'keys create',
    'keys list',
    'keys roll',
    'keys sign-with',
    'keys revoke',
    'keys seal-key',
    'keys reseal',
    'keys rehash',
    'tokens list',
    'tokens enable',
    'tokens disable',
    'payouts set',
    'payouts activate',
    'payouts disable',
    'payouts list',
    'payouts sync',
    'payments resolve',
    'contracts deploy',
    'contracts verify',
    'contracts pause',
    'contracts retire-relayer',
    'contracts deploy-direct',
    'contracts verify-direct',
    'wallet create',
    'relayers list',
    'relayers drain',
    'relayers retire',
    'relayers activate',
    'token-ledgers list',
    'token-ledgers reset',
    'abuse top',
    'abuse hash',
    'deny add',
    'deny remove',
    'deny list',
    'privacy export',
    'privacy erase',
    'audit seal',
    'audit verify',
    'audit export-head',
    'archive list',
    'archive verify',
    'ledger check',
    'overview rebuild',
    'cost',
    'export',
    'statement',
    'recover',
    'doctor',
    'rehearse',
    'listen',
    'trigger',
    'events list',
    'events resend',
    'refund',
    'pay',
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
  const suspicious = flags.filter((text) => /secret|password|pepper|url|token|master/i.test(text));
  expect(new Set(suspicious)).toEqual(new Set(['--api-url <address>', '--password-file <file>']));
});

test.each([
  ['--api-url', ['events', 'list', '--api-url', 'http://user:canary@127.0.0.1']],
  ['--forward-to', ['listen', '--forward-to', 'http://canary@127.0.0.1']],
])('%s takes no secret either: an address with a user or a password is refused, and not repeated', async (_, argv) => {
  const { exitCode, stdout, stderr } = await run(...argv);
  expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' });
  expect(stderr).not.toContain('canary');
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['no key', {}],
  ['a publishable key', { SVC_SECRET_KEY: 'pk_test_canary' }],
  ['a file that is not there', { SVC_SECRET_KEY_FILE: '/nowhere/canary' }],
  ['two keys', { SVC_SECRET_KEY: 'sk_test_canary', SVC_SECRET_KEY_FILE: '/nowhere/canary' }],
])('%s ends a merchant’s command by the variable’s name, and no value is repeated', async (_, environment) => {
  const { exitCode, stderr } = await callSvc(environment, 'events', 'list');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/SVC_SECRET_KEY/);
  expect(stderr).not.toContain('canary');
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
  ['an operator without an address', ['operators', 'create', '--name', 'Ada', '--email', 'ada']],
  ['an empty name', ['accounts', 'create', '--name', ' ']],
  ['a name that commands the terminal', ['accounts', 'create', '--name', 'a\u001B[31m']],
  [
    'a minimum that is no amount',
    ['accounts', 'limits', 'set', '--account', 'a', '--mode', 'test', '--minimum-usd', 'free'],
  ],
  ['a rate of nothing', ['accounts', 'limits', 'set', '--account', 'a', '--mode', 'test', '--rate', '0']],
  ['no limit at all', ['accounts', 'limits', 'set', '--account', 'a', '--mode', 'test']],
  ['a minimum below nothing', ['accounts', 'limits', 'set', '--account', 'a', '--mode', 'test', '--minimum-usd=-1']],
  [
    'a scope that is none',
    ['keys', 'create', '--account', 'a', '--mode', 'test', '--kind', 'secret', '--scopes', 'all'],
  ],
  [
    'a scope that a publishable key can’t have',
    ['keys', 'create', '--account', 'a', '--mode', 'test', '--kind', 'publishable', '--scopes', 'webhooks'],
  ],
  ['an overlap over seven days', ['keys', 'roll', '--account', 'acct_a', '--mode', 'test', '--overlap', '8d']],
  ['a mode that is none', ['keys', 'list', '--mode', 'staging']],
  ['a payer too short to search for', ['privacy', 'export', '0x']],
  ['everybody denied at once', ['deny', 'add', '0.0.0.0/0', '--reason', 'x']],
  ['a denial without a reason', ['deny', 'add', '192.0.2.1', '--reason', ' ']],
  ['a denial for no time', ['deny', 'add', '192.0.2.1', '--reason', 'x', '--for', '0']],
  ['the hash of a range', ['abuse', 'hash', '192.0.2.0/24']],
  ['counts of a year', ['abuse', 'top', '--since', '365d']],
  ['a type of event that is none', ['listen', '--forward-to', 'http://127.0.0.1', '--types', 'payment.paid']],
  ['a count of nothing', ['listen', '--forward-to', 'http://127.0.0.1', '--count', '0']],
  ['a sample of a type that is none', ['trigger', 'payment.paid']],
  ['an erasure that nobody confirms', ['privacy', 'erase', `0x${'ab'.repeat(20)}`]],
])('%s is refused as called wrongly, before anything is opened', async (_, argv) => {
  expect(await run(...argv)).toMatchObject({ exitCode: 64, stdout: '' });
});

test('a key pasted where its id belongs is not repeated', async () => {
  const { exitCode, stdout, stderr } = await run('keys', 'revoke', 'sk_live_canary');
  expect(exitCode).toBe(1);
  expect(stdout + stderr).not.toContain('canary');
});

test('a relayer to recover is named with a Solana network, under any of its names', async () => {
  const recover = (network: string, relayer = '1'.repeat(32)) =>
    run('recover', '--from-chain', '--network', network, '--relayer', relayer, '--json');
  const wrong = await recover('eip155:8453');
  expect(wrong.exitCode).toBe(64);
  expect(JSON.parse(wrong.stdout)).toMatchObject({ error: 'usage', message: expect.stringContaining('--relayer') });
  for (const network of ['solana:mainnet', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'])
    expect((await recover(network)).stdout).not.toContain('--relayer');
  expect((await recover('solana:mainnet', '1'.repeat(31))).stdout).toContain('is no Solana address');
});
