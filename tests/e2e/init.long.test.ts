// A folder of `svc init` is all that the services get: its environment files, the files that these name, and its SQL.
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { freePorts, startRestate } from '@svc-pay/engine/server';
import { sealKeystore } from '@svc-pay/evm';
import { startChain } from '@svc-pay/evm/testing';
import { startPostgres } from '@svc-pay/postgres/server';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { reservePort } from '@svc-pay/runtime/process/reserve-port';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { joinByLink } from './join-by-link.ts';
import { openShop, type ShopStore } from './open-shop.ts';
import { svc } from './run-svc.ts';
import { mainOf, startService } from './service-process.ts';
import { payerOf, prepare, settle } from './wallet.ts';

const PROGRAMS = ['api', 'settlement', 'webhooks', 'admin', 'console'] as const;
const CONSOLE = 'https://console.example.com';
const root = mkdtempSync(path.join(tmpdir(), 'svc-init-'));
const folder = path.join(root, 'svc-pay');
const inFolder = (...names: readonly string[]) => path.join(folder, ...names);
const read = (...names: readonly string[]) => readFileSync(inFolder(...names), 'utf8');
const environmentOf = (program: string) => parseEnv(read(`${program}.env`)) as Record<string, string>;

/** As an operator edits a line. */
function setLine(file: string, name: string, value: string): void {
  const lines = read(file).split('\n');
  writeFileSync(
    inFolder(file),
    lines.map((line) => (line.startsWith(`${name}=`) ? `${name}=${value}` : line)).join('\n'),
  );
}

const cleanUps: (() => unknown)[] = [() => rmSync(root, { recursive: true })];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

const [server, chain] = await Promise.all([
  startPostgres({ durable: false }).then((started) => {
    cleanUps.push(started.stop);
    return started;
  }),
  startChain({ blockTimeSeconds: 0.1 }).then((started) => {
    const dismiss = killOnParentExit(started.pid);
    cleanUps.push(() => started.stop('SIGKILL').then(dismiss));
    return started;
  }),
]);
const superuser = new pg.Pool({ connectionString: server.url, max: 2 });
cleanUps.push(() => superuser.end());

const made = await svc(
  {},
  'init',
  folder,
  '--for',
  'server',
  '--network',
  'anvil',
  '--public',
  'https://pay.example.com',
  '--console',
  CONSOLE,
  '--database',
  `127.0.0.1:${server.port}/postgres`,
);
if (made.exitCode !== 0) throw new Error(made.stderr);
await superuser.query(read('roles.sql'));
// A key that has its role on the processor, in the place of the new one.
const password = read('secrets', 'relayer-password').trim();
const [relayer] = chain.keys.relayers;
if (relayer === undefined) throw new Error('no relayer');
writeFileSync(
  inFolder('relayers', 'evm-1.json'),
  await sealKeystore(Buffer.from(relayer.privateKey.slice(2), 'hex'), password),
);
const setup = { processor: chain.record.processor, processorVersion: '1.3.0', ready: true, rpcUrls: [chain.rpcUrl] };
writeFileSync(inFolder('networks.json'), JSON.stringify({ [chain.network]: setup }));

const enginePorts = await freePorts();
const restate = await startRestate({
  dataDirectory: path.join(root, 'restate'),
  ports: enginePorts,
  identityFile: inFolder('secrets', 'engine-identity.pem'),
  guard: killOnParentExit,
});
cleanUps.push(() => restate.stop('SIGKILL'));
for (const file of ['settlement.env', 'webhooks.env']) setLine(file, 'SVC_ENGINE_ADMIN_URL', restate.adminUrl);
for (const file of ['api.env', 'settlement.env', 'webhooks.env'])
  setLine(file, 'SVC_ENGINE_INGRESS_URL', restate.ingressUrl);
for (const [file, names] of [
  ['api.env', ['SVC_API_PORT', 'SVC_API_METRICS_PORT']],
  ['settlement.env', ['SVC_SETTLEMENT_PORT', 'SVC_SETTLEMENT_ENGINE_PORT']],
  ['webhooks.env', ['SVC_WEBHOOKS_PORT', 'SVC_WEBHOOKS_ENGINE_PORT']],
  ['admin.env', ['SVC_ADMIN_PORT']],
  ['console.env', ['SVC_CONSOLE_PORT', 'SVC_CONSOLE_METRICS_PORT']],
] as const)
  for (const name of names) setLine(file, name, String(await reservePort()));
setLine('api.env', 'SVC_SETTLEMENT_URL', `http://127.0.0.1:${environmentOf('settlement')['SVC_SETTLEMENT_PORT']}`);
setLine('console.env', 'SVC_API_URL', `http://127.0.0.1:${environmentOf('api')['SVC_API_PORT']}`);
setLine('console.env', 'SVC_ADMIN_URL', `http://127.0.0.1:${environmentOf('admin')['SVC_ADMIN_PORT']}`);

const command = (...argv: readonly string[]) => svc(environmentOf('command'), ...argv);
const ran = async (...argv: readonly string[]) => {
  const { exitCode, stdout, stderr } = await command(...argv);
  if (exitCode !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`);
  return stdout;
};

type MadeAccount = {
  readonly account: { readonly id: string };
  readonly keys: readonly { readonly mode: string; readonly kind: string; readonly text: string }[];
};
const byCommand: ShopStore = {
  storeAccount: async (_, shortcodes) => {
    const { account, keys } = JSON.parse(await ran('accounts', 'create', '--name', 'A shop', '--json')) as MadeAccount;
    const keyOf = (kind: string) => keys.find((key) => key.mode === 'test' && key.kind === kind)?.text ?? '';
    await ran('tokens', 'enable', ...shortcodes, '--account', account.id, '--mode', 'test');
    return { accountId: account.id, publishableKey: keyOf('publishable'), secretKey: keyOf('secret') };
  },
  storePayout: async (_, { accountId, merchant, terms, status }) => {
    const of = ['--account', accountId, '--mode', 'test', '--network', chain.network, '--merchant', merchant];
    const split = terms.splits.flatMap(({ to, bps }) => ['--split', `${to}:${bps}`]);
    await ran('payouts', 'set', ...of, ...split, '--fee-bps', String(terms.feeBps), '--status', status);
    const { rows } = await superuser.query('select payout_id from svc.payouts where account_id = $1', [accountId]);
    return BigInt(rows[0].payout_id);
  },
};

/** Problems of the doctor about the folder and the roles. */
async function problems(): Promise<string> {
  const { stdout } = await command('doctor', '--folder', folder, '--json');
  const { findings } = JSON.parse(stdout) as {
    findings: readonly { status: string; subject: string; message: string }[];
  };
  return findings
    .filter(
      ({ status, subject }) => status === 'problem' && !/^(?:fsync|synchronous_commit|full_page_writes)$/.test(subject),
    )
    .map(({ message }) => message)
    .join('\n');
}

test('the services start from the folder alone, and a payment goes through', async () => {
  await ran('migrate');
  const started = await Promise.all(
    PROGRAMS.map(async (program) => {
      const service = await startService(mainOf(program), environmentOf(program));
      cleanUps.push(() => service.kill('SIGKILL'));
      return service;
    }),
  );
  const shop = await openShop(superuser, chain, undefined, byCommand);
  const world = { apiUrl: `http://127.0.0.1:${started[0]?.port}`, shop, chain };
  const { account } = await chain.newKey();
  await chain.mint(chain.tokens.usdc, account.address, 1_500_000n);
  const settled = await settle(world, await prepare(world, payerOf(account)));
  expect(settled).toMatchObject({ status: 'succeeded', payment: { status: 'completed' } });
  expect(await chain.balanceOf(chain.tokens.usdc, account.address)).toBe(0n);
  for (const service of started) expect(service.output()).not.toContain('foreign_settings');
  expect(await problems()).toBe('');

  // The first owner, by a link of the command: the console asks the API for this payment in the owner's name.
  const link = JSON.parse(
    await ran('people', 'invite', shop.accountId, '--role', 'owner', '--name', 'Grace Hopper', '--json'),
  ).link as string;
  const port = environmentOf('console')['SVC_CONSOLE_PORT'];
  const person = await joinByLink(link, CONSOLE, (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init));
  const seen = await person.get(`/accounts/${shop.accountId}/test/sdk/payments`);
  expect(seen).toMatchObject({ data: [{ status: 'completed' }] });
});

test.each(PROGRAMS)('%s does not start from a secret that its group can read, nor without it', async (program) => {
  const file = inFolder('secrets', `database-url-${program}`);
  const started = () => startService(mainOf(program), environmentOf(program));
  chmodSync(file, 0o640);
  await expect(started()).rejects.toThrow(/SVC_DATABASE_URL_FILE names a file that not only its owner .* `chmod 600`/);
  chmodSync(file, 0o600);
  renameSync(file, `${file}.away`);
  await expect(started()).rejects.toThrow(/SVC_DATABASE_URL_FILE names a file that does not exist: .*svc -- init/);
  renameSync(`${file}.away`, file);
});
