import { generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { openKeystore } from '@svc-pay/evm';
import { SERVICE_SETTINGS } from '@svc-pay/runtime/config/service-settings';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { checkAgreement } from '../doctor/check-agreement.ts';
import { checkConsole } from '../doctor/check-console.ts';
import { checkEdge } from '../doctor/check-edge.ts';
import { checkFolder } from '../doctor/check-folder.ts';
import { readInstallation } from '../doctor/installation.ts';
import { callSvc } from '../testing/call-svc.ts';
import { base58 } from './base58.ts';
import { findOperatedChain } from './choices.ts';
import { identityKeyOf } from './ed25519-keys.ts';
import { scramVerifier } from './scram.ts';

function newFolder(): string {
  const root = mkdtempSync(path.join(tmpdir(), 'svc-init-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return path.join(root, 'svc-pay');
}
const init = (folder: string, ...more: readonly string[]) =>
  callSvc({}, 'init', folder, '--public', 'https://pay.example.com', '--image', 'svc-pay:1', ...more);
const SELF = `${process.getuid?.()}:${process.getgid?.()}`;
const TEST_NET = ['--network', 'base-sepolia', '--relayers', '0', '--owner', SELF];
const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => path.join(parentPath, name))
      .map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')]),
  );
const secretsOf = (folder: string) =>
  Object.entries(contents(folder)).flatMap(([name, text]) => (name.startsWith('secrets/') ? [text.trim()] : []));

test('secrets and settings are closed to others, and no secret is in a second file', async () => {
  const folder = newFolder();
  expect(await init(folder, ...TEST_NET)).toMatchObject({ exitCode: 0 });
  for (const name of ['.', 'secrets', 'relayers']) expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o700);
  const files = contents(folder);
  for (const name of Object.keys(files).filter((each) => /^secrets\/|\.env$|^networks\.json$/.test(each)))
    expect(statSync(path.join(folder, name)).mode & 0o777, name).toBe(0o600);
  const [secrets, others] = [secretsOf(folder), Object.entries(files).filter(([name]) => !name.startsWith('secrets/'))];
  const parts = secrets.flatMap((text) => [text, URL.canParse(text) ? new URL(text).password : text]).filter(Boolean);
  for (const [name, text] of others) for (const part of parts) expect(text.includes(part), name).toBe(false);
});

test('each environment file has settings of its service alone, and every secret by its file', async () => {
  const folder = newFolder();
  await init(folder, ...TEST_NET);
  for (const service of ['api', 'settlement', 'webhooks', 'admin'] as const) {
    const names = Object.keys(parseEnv(readFileSync(path.join(folder, `${service}.env`), 'utf8')));
    const own: readonly string[] = SERVICE_SETTINGS[service];
    expect(names.filter((name) => !own.includes(name))).toEqual([]);
    expect(names.filter((name) => own.includes(`${name}_FILE`))).toEqual([]);
  }
});

test('a second run changes nothing, and brings back what is no secret', async () => {
  const folder = newFolder();
  await init(folder, ...TEST_NET);
  writeFileSync(path.join(folder, 'api.env'), 'SVC_LOG_LEVEL=debug\n');
  const before = contents(folder);
  expect((await init(folder, ...TEST_NET)).stdout).toContain(': 0 files written');
  expect(contents(folder)).toEqual(before);
  rmSync(path.join(folder, 'webhooks.env'));
  await init(folder, ...TEST_NET);
  expect(contents(folder)).toEqual(before);
});

test('a secret that is gone from a complete folder is not made anew; an interrupted first run goes on', async () => {
  const folder = newFolder();
  await init(folder, ...TEST_NET);
  const file = path.join(folder, 'secrets/key-pepper');
  const before = contents(folder);
  rmSync(file);
  const refused = await init(folder, ...TEST_NET);
  expect(refused).toMatchObject({ exitCode: 1 });
  expect(refused.stderr).toMatch(/secrets\/key-pepper existed before.*second copy/s);
  expect(existsSync(file)).toBe(false);
  rmSync(path.join(folder, 'command.env'));
  expect(await init(folder, ...TEST_NET)).toMatchObject({ exitCode: 0 });
  const { 'secrets/key-pepper': pepper, ...others } = contents(folder);
  expect(pepper).not.toBe(before['secrets/key-pepper']);
  expect(others).toEqual(Object.fromEntries(Object.entries(before).filter(([name]) => name !== 'secrets/key-pepper')));
});

test('keys of relayers are made, and the keystore opens with the password of the folder', async () => {
  const folder = newFolder();
  const { stdout } = await init(folder, '--network', 'base', 'solana', '--owner', SELF);
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  const opened = await openKeystore(read('relayers/evm-1.json'), read('secrets/relayer-password').trim());
  if (!opened.ok) throw new Error(opened.code);
  expect(stdout).toContain(opened.signer.address);
  expect(JSON.parse(read('relayers/solana-1.json'))).toHaveLength(64);
});

test('the compose file gives each service its own secrets, and only Caddy a port on the internet', async () => {
  const folder = newFolder();
  await init(folder, ...TEST_NET);
  type Service = { readonly ports?: readonly string[]; readonly volumes?: readonly (string | { source: string })[] };
  const { services } = parse(readFileSync(path.join(folder, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, Service>;
  };
  const secretsOfService = (name: string) =>
    (services[name]?.volumes ?? []).flatMap((volume) =>
      typeof volume !== 'string' && volume.source.includes('/secrets/') ? [path.basename(volume.source)] : [],
    );
  expect(secretsOfService('api')).toEqual(['database-url-api', 'key-pepper', 'internal-key']);
  expect(secretsOfService('webhooks')).toEqual(['database-url-webhooks', 'master-keys']);
  const open = Object.entries(services).filter(([, { ports = [] }]) =>
    ports.some((port) => !port.startsWith('127.0.0.1:')),
  );
  expect(open.map(([name]) => name)).toEqual(['caddy']);
  // Docker hands on IPv6 clients with one address for all.
  expect(services['caddy']?.ports?.filter((port) => !port.startsWith('0.0.0.0:'))).toEqual([]);
});

// The page on two servers tells its reader what to take out of the file on the second one, and which settings are in it.
test('the parts of one server alone are where the page on two servers says', async () => {
  const folder = newFolder();
  await init(folder, ...TEST_NET);
  const { services } = parse(readFileSync(path.join(folder, 'compose.yaml'), 'utf8'), { merge: true });
  const having = (part: string, what: RegExp) =>
    Object.keys(services).filter((name) => what.test(JSON.stringify(services[name][part] ?? '')));
  const ours = ['api', 'api-2', 'settlement', 'settlement-2', 'webhooks', 'admin'];
  expect(having('depends_on', /^\["postgres","restate"\]$/)).toEqual(ours);
  expect(having('depends_on', /postgres|restate/)).toEqual(ours);
  expect(having('environment', /SVC_/)).toEqual(['settlement', 'settlement-2']);
  expect(readFileSync(path.join(folder, 'webhooks.env'), 'utf8')).toMatch(/^SVC_WEBHOOKS_ENGINE_URL=/m);
  expect(readFileSync(path.join(folder, 'settlement.env'), 'utf8')).not.toContain('SVC_SETTLEMENT_ENGINE_URL');
  for (const name of ['postgres', 'restate']) expect(services[name].networks).toEqual(['back']);
});

test('no container gets the address of Caddy from Docker', async () => {
  const folder = newFolder();
  await init(folder, ...TEST_NET, '--subnet', '10.9.8.0/24');
  const { services, networks } = parse(readFileSync(path.join(folder, 'compose.yaml'), 'utf8'), { merge: true });
  expect(services.caddy.networks.edge.ipv4_address).toBe('10.9.8.2');
  expect(networks.edge.ipam.config).toEqual([{ subnet: '10.9.8.0/24', ip_range: '10.9.8.128/25' }]);
});

test.each([
  ['Caddy alone', [], '172.30.84.2', '1', undefined],
  ['a proxy before Caddy', ['--proxy', '192.0.2.1'], '172.30.84.2,192.0.2.1', '2', '192.0.2.1'],
  [
    'two proxies before Caddy',
    ['--proxy', '192.0.2.1', '10.0.0.0/28', '--hops', '3'],
    '172.30.84.2,192.0.2.1,10.0.0.0/28',
    '3',
    '192.0.2.1 10.0.0.0/28',
  ],
  ['a proxy of the machine', ['--for', 'server'], '127.0.0.1', '1', undefined],
  [
    'two in a row',
    ['--for', 'server', '--proxy', '10.0.0.5', '10.0.0.6', '--hops', '2'],
    '10.0.0.5,10.0.0.6',
    '2',
    undefined,
  ],
] as const)('behind %s the API trusts them, and as many', async (_, argv, proxies, hops, trustedByCaddy) => {
  const folder = newFolder();
  expect(await init(folder, ...TEST_NET, ...argv)).toMatchObject({ exitCode: 0 });
  const files = contents(folder);
  expect(parseEnv(files['api.env'] ?? '')).toMatchObject({
    SVC_API_TRUSTED_PROXIES: proxies,
    SVC_API_TRUSTED_HOPS: hops,
  });
  expect(/^\t\ttrusted_proxies (.*)$/m.exec(files['Caddyfile'] ?? '')?.[1]).toBe(trustedByCaddy);
  expect(complaints(folder)).not.toMatch(/prox|Caddy/i);
});

test('Caddy does not forward /ready', async () => {
  const folder = newFolder();
  await init(folder, ...TEST_NET);
  expect(readFileSync(path.join(folder, 'Caddyfile'), 'utf8')).toMatch(
    /^\t@internal path \/ready\n\trespond @internal 404\n\treverse_proxy api:8402 api-2:8402 \{$/m,
  );
});

test('an address in the place of a domain is certified by Caddy itself, also for clients that send no name', async () => {
  const [named, address] = [newFolder(), newFolder()];
  await init(named, ...TEST_NET);
  await init(address, ...TEST_NET, '--public', 'https://192.0.2.5');
  const head = (folder: string) => readFileSync(path.join(folder, 'Caddyfile'), 'utf8').split('servers')[0];
  expect(head(address)).toMatch(/^\tdefault_sni 192\.0\.2\.5\n\tskip_install_trust\n/m);
  expect(head(named)).not.toContain('default_sni');
});

const CONSOLE = ['--console', 'https://console.example.com'];

test('with an address for the console there are its settings, its role, its container, its site and its metrics', async () => {
  const folder = newFolder();
  expect(await init(folder, ...TEST_NET, ...CONSOLE)).toMatchObject({ exitCode: 0 });
  const files = contents(folder);
  const environment = parseEnv(files['console.env'] ?? '');
  const own: readonly string[] = SERVICE_SETTINGS.console;
  expect(Object.keys(environment).filter((name) => !own.includes(name))).toEqual([]);
  expect(environment).toMatchObject({
    SVC_DATABASE_URL_FILE: path.join(folder, 'secrets/database-url-console'),
    SVC_CONSOLE_URL: 'https://console.example.com',
    SVC_API_URL: 'http://api-at-edge:8402',
    SVC_ADMIN_URL: 'http://admin:8405',
    SVC_CONSOLE_TRUSTED_PROXIES: '172.30.84.2',
  });
  // For the links of `people invite`.
  expect(parseEnv(files['command.env'] ?? '')).toMatchObject({ SVC_CONSOLE_URL: 'https://console.example.com' });
  const { services } = parse(files['compose.yaml'] ?? '', { merge: true });
  expect(services.console.ports).toBeUndefined();
  // The API takes the address of a person from the console, in the network where the console has one address.
  expect(services.console.networks).toEqual({ back: {}, edge: { ipv4_address: '172.30.84.3' } });
  for (const name of ['api', 'api-2'])
    expect(services[name].networks).toEqual({ back: {}, edge: { aliases: ['api-at-edge'] } });
  expect(parseEnv(files['api.env'] ?? '')['SVC_API_TRUSTED_PROXIES']).toBe('172.30.84.2,172.30.84.3');
  const mounted = services.console.volumes.map(({ source }: { source: string }) => path.relative(folder, source));
  expect(mounted).toEqual(['secrets/database-url-console']);
  expect(services.caddy.depends_on).toContain('console');
  expect(files['Caddyfile']).toMatch(/^console\.example\.com \{[^]*reverse_proxy console:8406 \{/m);
  expect(files['roles.sql']).toContain('grant svc_console to svc_pay_console;');
  expect(files['prometheus.yaml']).toContain('console:8407');
});

test('without one there is none, and its group is made, since migrations grant to it', async () => {
  const folder = newFolder();
  await init(folder, ...TEST_NET);
  const { 'roles.sql': roles = '', ...files } = contents(folder);
  expect(Object.keys(files).filter((name) => name.includes('console'))).toEqual([]);
  for (const name of ['compose.yaml', 'Caddyfile', 'prometheus.yaml']) expect(files[name]).not.toContain('console');
  expect(roles).toContain('create role svc_console nologin');
  expect(roles).not.toContain('svc_pay_console');
});

test('a console can be added to a complete folder, with a secret of its own and no other one', async () => {
  const folder = newFolder();
  await init(folder, ...TEST_NET);
  const before = contents(folder);
  expect(await init(folder, ...TEST_NET, ...CONSOLE)).toMatchObject({ exitCode: 0 });
  const added = Object.keys(contents(folder)).filter((name) => before[name] === undefined);
  expect(added.toSorted()).toEqual(['console.env', 'secrets/database-url-console']);
  rmSync(path.join(folder, 'secrets/database-url-console'));
  expect((await init(folder, ...TEST_NET, ...CONSOLE)).stderr).toContain('database-url-console existed before');
});

test('Restate and the API know both settlements by their own addresses', async () => {
  const folder = newFolder();
  await init(folder, ...TEST_NET);
  const text = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  const { services } = parse(text('compose.yaml'), { merge: true });
  for (const name of ['settlement', 'settlement-2'])
    expect(services[name].environment).toEqual({ SVC_SETTLEMENT_ENGINE_URL: `http://${name}:9403` });
  expect(text('api.env')).toContain('SVC_SETTLEMENT_URL=http://settlement:8403,http://settlement-2:8403\n');
});

test.each([
  ['no network', []],
  ['a network that is none', ['--network', 'base-mainnet']],
  ['a database with a password', ['--network', 'base', '--database', 'canary:canary@db:5432/svc']],
  ['an owner that is none', ['--network', 'base', '--owner', 'root']],
  ['a console without TLS', ['--network', 'base', '--console', 'http://console.example.com']],
  ['a console at a path', ['--network', 'base', '--console', 'https://example.com/console']],
  ['a console at the name of the API', ['--network', 'base', '--console', 'https://pay.example.com:8443']],
  ['a subnet of public addresses', ['--network', 'base', '--subnet', '8.8.8.0/24']],
  ['a proxy that is no address', ['--network', 'base', '--proxy', 'proxy.internal']],
  ['no hop', ['--network', 'base', '--hops', '0']],
  ['hops without proxies', ['--network', 'base', '--hops', '2']],
  ['a proxy before Caddy in one hop', ['--network', 'base', '--proxy', '192.0.2.1', '--hops', '1']],
])('%s is refused, and nothing is written', async (_, argv) => {
  const folder = newFolder();
  const { exitCode, stderr } = await init(folder, ...argv);
  expect(exitCode).toBe(64);
  expect(stderr).not.toContain('canary');
  expect(existsSync(folder)).toBe(false);
});

test('networks are found by the names of the catalogue', () => {
  const names = ['base', 'base-sepolia', 'polygon', 'arbitrum', 'solana', 'solana-devnet', 'eip155:8453'];
  expect(names.map((name) => findOperatedChain(name)?.network)).toEqual([
    'eip155:8453',
    'eip155:84532',
    'eip155:137',
    'eip155:42161',
    'solana:mainnet',
    'solana:devnet',
    'eip155:8453',
  ]);
  expect(findOperatedChain('internet-computer')).toBeUndefined();
});

test('the verifier is the one of RFC 7677, and base58 keeps leading zeros', () => {
  // RFC 7677 has the password `pencil` with this salt; PostgreSQL stores these two keys.
  expect(scramVerifier('pencil', Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'))).toBe(
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
  expect(base58(Uint8Array.from([0, 0, 255]))).toBe('115Q');
  expect(base58(new Uint8Array(32))).toBe('1'.repeat(32));
});

/** Messages of the doctor about the files of a folder. */
function complaints(folder: string): string {
  const installation = readInstallation(folder);
  return [checkFolder, checkAgreement, checkEdge, checkConsole]
    .flatMap((check) => check(installation))
    .flatMap(({ status, message }) => (status === 'ok' ? [] : [message]))
    .join('\n');
}

const edit = (name: string, from: RegExp | string, to: string) => (folder: string) => {
  const file = path.join(folder, name);
  const text = readFileSync(file, 'utf8');
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${name} has no ${from}`);
  writeFileSync(file, changed);
};
const newSecret = (name: string, text: string) => (folder: string) =>
  writeFileSync(path.join(folder, 'secrets', name), `${text}\n`);
const linkToOpenFile = (name: string) => (folder: string) => {
  const target = `${folder}-linked`;
  writeFileSync(target, readFileSync(path.join(folder, name)));
  chmodSync(target, 0o644);
  rmSync(path.join(folder, name));
  symlinkSync(target, path.join(folder, name));
};
/** What an operator writes after `init`. */
function fillIn(folder: string): void {
  edit('networks.json', /0x0{40}/, `0x${'52'.repeat(20)}`)(folder);
  edit('networks.json', /"rpcUrls": \[[^\]]*\]/, '"rpcUrls": ["https://a.example", "https://b.example"]')(folder);
  edit('settlement.env', 'SVC_RELAYER_KMS_KEYS=replace-me', 'SVC_RELAYER_KMS_KEYS=arn')(folder);
  edit('alertmanager.yaml', /https:.*/, 'https://hooks.example.com/')(folder);
}

test('a new folder is complained about for its placeholders alone, each by its place', async () => {
  const folder = newFolder();
  await init(folder, '--network', 'base', '--relayers', '0', '--owner', SELF);
  expect(complaints(folder).split('\n')).toEqual([
    'alertmanager.yaml:15 is still a placeholder.',
    expect.stringMatching(/^settlement\.env:\d+ is still a placeholder\.$/),
    'networks.json eip155:8453 processor is still a placeholder.',
    'networks.json eip155:8453 rpcUrls is still a placeholder.',
  ]);
  fillIn(folder);
  expect(complaints(folder)).toBe('');
});

test.each<readonly [fault: string, plant: (folder: string) => void, found: string]>([
  [
    'a secret for the group',
    (folder) => chmodSync(path.join(folder, 'secrets/key-pepper'), 0o640),
    'may use secrets/key-pepper',
  ],
  ['an open folder', (folder) => chmodSync(path.join(folder, 'secrets'), 0o755), 'may use secrets.'],
  [
    'a secret that is gone',
    (folder) => rmSync(path.join(folder, 'secrets/master-keys')),
    'SVC_MASTER_KEYS_FILE names a file that does not exist',
  ],
  ['settings that are gone', (folder) => rmSync(path.join(folder, 'admin.env')), 'admin.env does not exist'],
  [
    'another pepper',
    edit('admin.env', 'key-pepper', 'internal-key'),
    'SVC_KEY_PEPPER differs between api, admin, command',
  ],
  ['another internal key', newSecret('internal-key', 'x'.repeat(40)), 'Settlement does not accept'],
  ['another master key', newSecret('master-keys', `2:${Buffer.alloc(32).toString('base64')}`), 'not the public half'],
  [
    'another engine',
    edit('settlement.env', /publickeyv1_\w+/, 'publickeyv1_a'),
    'does not name the key in secrets/engine-identity.pem',
  ],
  ['a role for two', edit('api.env', 'database-url-api', 'database-url-admin'), 'log in as the same role'],
  [
    'another database',
    newSecret('database-url-api', 'postgres://svc_pay_api:a@other:5432/svc_pay'),
    'different databases',
  ],
  [
    'a secret of another',
    edit('webhooks.env', '\nSVC_WEB', '\nSVC_KEY_PEPPER=a\nSVC_WEB'),
    'SVC_KEY_PEPPER is no setting of webhooks',
  ],
  ['any origin', edit('api.env', /CORS_ORIGINS=.*/, 'CORS_ORIGINS=*'), 'Every page may call'],
  ['an origin with a path', edit('api.env', /CORS_ORIGINS=.*/, 'CORS_ORIGINS=https://a.example/b'), 'is no origin'],
  ['no trusted proxy', edit('api.env', /TRUSTED_PROXIES=.*/, 'TRUSTED_PROXIES='), 'all clients are one address'],
  ['any proxy', edit('api.env', /TRUSTED_PROXIES=.*/, 'TRUSTED_PROXIES=0.0.0.0/0'), 'trusts strangers'],
  [
    'any proxy, in IPv6',
    edit('api.env', /TRUSTED_PROXIES=.*/, 'TRUSTED_PROXIES=::ffff:0.0.0.0/96'),
    'trusts strangers',
  ],
  ['a proxy that is none', edit('api.env', /TRUSTED_PROXIES=.*/, 'TRUSTED_PROXIES=caddy'), 'no address and no range'],
  [
    'a Caddy that is not trusted',
    edit('api.env', /TRUSTED_PROXIES=.*/, 'TRUSTED_PROXIES=10.0.0.5'),
    'does not trust Caddy',
  ],
  [
    'one hop for two proxies',
    edit('api.env', /TRUSTED_PROXIES=.*/, 'TRUSTED_PROXIES=172.30.84.2,10.0.0.5'),
    'SVC_API_TRUSTED_HOPS is 1',
  ],
  ['a link to a secret for all', linkToOpenFile('secrets/key-pepper'), 'may use secrets/key-pepper'],
  ['no TLS', edit('api.env', 'PUBLIC_URL=https', 'PUBLIC_URL=http'), 'has no TLS'],
])('the doctor finds %s', async (_, plant, found) => {
  const folder = newFolder();
  await init(folder, '--network', 'base', '--relayers', '0', '--owner', SELF);
  fillIn(folder);
  plant(folder);
  expect(complaints(folder)).toContain(found);
});

test.each<readonly [fault: string, plant: (folder: string) => void, found: string]>([
  ['no TLS', edit('console.env', 'URL=https://console', 'URL=http://console'), 'no TLS'],
  ['the name of the API', edit('console.env', 'URL=https://console.', 'URL=https://pay.'), 'host name of the API'],
  ['no address', edit('console.env', /^SVC_CONSOLE_URL=.*/m, 'SVC_CONSOLE_URL='), 'is no address'],
  ['no trusted proxy', edit('console.env', /PROXIES=.*/, 'PROXIES='), 'trusts no proxy'],
  ['no trust of the API', edit('api.env', /PROXIES=.*/, 'PROXIES=172.30.84.2'), 'does not trust the console'],
  ['the login of another', edit('console.env', 'url-console', 'url-admin'), 'log in as the same role'],
  ['a setting of another', edit('console.env', /$/, 'SVC_KEY_PEPPER=a\n'), 'SVC_KEY_PEPPER is no setting of console'],
])('of a console the doctor finds %s', async (_, plant, found) => {
  const folder = newFolder();
  await init(folder, '--network', 'base', '--relayers', '0', '--owner', SELF, ...CONSOLE);
  fillIn(folder);
  expect(complaints(folder)).toBe('');
  plant(folder);
  expect(complaints(folder)).toContain(found);
});

test('the doctor does not show what stands in the place of a path, in its findings or its report', async () => {
  const folder = newFolder();
  await init(folder, ...TEST_NET);
  edit('api.env', /PEPPER_FILE=.*/, 'PEPPER_FILE=canary-pepper,canary-second')(folder);
  const report = path.join(folder, 'report.json');
  const { stdout, stderr } = await callSvc({}, 'doctor', '--folder', folder, '--bundle', report);
  expect(stdout + stderr).toContain('SVC_KEY_PEPPER_FILE, entry 2, names a file that does not exist');
  expect(stdout + stderr).not.toContain('canary');
  expect(readFileSync(report, 'utf8')).not.toContain('canary');
});

test('the doctor leaves credentials of systemd to the unit that has them', async () => {
  const folder = newFolder();
  await init(folder, ...TEST_NET);
  fillIn(folder);
  const inUnit = '/run/credentials/svc-pay-settlement.service';
  edit('settlement.env', /^SVC_RELAYER_KMS.*/m, `SVC_RELAYER_KEYSTORES=${inUnit}/relayer_evm-1.json`)(folder);
  expect(complaints(folder)).toBe('');
  edit('settlement.env', inUnit, `${inUnit}/../../elsewhere`)(folder);
  expect(complaints(folder)).toContain('SVC_RELAYER_KEYSTORES names a file that does not exist');
});

test('after a new identity for Restate the doctor names it, and never tells to go back to the old one alone', async () => {
  const folder = newFolder();
  await init(folder, '--network', 'base', '--relayers', '0', '--owner', SELF);
  fillIn(folder);
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  newSecret('engine-identity.pem', pem)(folder);
  const next = identityKeyOf(pem) ?? '';
  const advice = () => checkAgreement(readInstallation(folder)).flatMap((finding) => finding.advice ?? []);
  expect(advice()).toEqual([expect.stringContaining(`Otherwise add ${next} to the list.`)]);
  for (const file of ['settlement.env', 'webhooks.env']) edit(file, /publickeyv1_\w+/, `${next},$&`)(folder);
  expect(advice()).toEqual([]);
});
