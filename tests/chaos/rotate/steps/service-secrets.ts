// Secrets that processes share, each by the steps of docs/operate/rotate-secrets.md.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { post } from '../../../e2e/wallet.ts';
import { askAdminAt, type Drill, type Step } from '../drill.ts';
import { processesOf } from '../rotate-world.ts';

const draw = () => randomBytes(32).toString('base64');
const OVERLAP = '2s';
const AFTER_OVERLAP_MS = 2_500;

export const rotateInternalKey: Step = async ({ secret, writeSecret, roll, settlementUrls }) => {
  const [old, next] = [secret('internal-key'), randomBytes(24).toString('hex')];
  writeSecret('internal-keys', `${next},${old}`);
  await roll('settlement takes both internal keys', processesOf('settlement'));
  writeSecret('internal-key', next);
  await roll('the API shows the new internal key', processesOf('api'));
  writeSecret('internal-keys', next);
  await roll('settlement takes the new internal key alone', processesOf('settlement'));
  const lanes = async (key: string) => {
    const asked = settlementUrls.map((url) => fetch(`${url}/lanes`, { headers: { authorization: `Bearer ${key}` } }));
    return (await Promise.all(asked)).map(({ status }) => status);
  };
  expect([await lanes(old), await lanes(next)]).toEqual([
    [401, 401],
    [200, 200],
  ]);
};

export const rotatePepper: Step = async (drill) => {
  const { secret, writeSecret, roll, stage, apiUrls, shop, ask, tryCommand, operator } = drill;
  const created = await post(`${apiUrls[0]}/sdk/public/payments/intents/x402`, shop.secretKey, {
    usdAmount: '1.5',
    tokenShortcode: 'anvil_usdc',
  });
  const link = (await created.json()) as { paymentIntentId: string; clientSecret: string };
  const openLink = async () => {
    const query = `client_secret=${encodeURIComponent(link.clientSecret)}`;
    const asked = apiUrls.map((url) => fetch(`${url}/pay/${link.paymentIntentId}?${query}`));
    return (await Promise.all(asked)).map(({ status }) => status);
  };
  expect(await openLink()).toEqual([402, 402]);
  const [old, next] = [`1:${secret('key-pepper')}`, `2:${draw()}`];
  writeSecret('key-pepper', `${old},${next}`);
  await roll('API and admin find by both peppers', processesOf('api', 'admin'));
  writeSecret('key-pepper', `${next},${old}`);
  await roll('API and admin hash with the new pepper', processesOf('api', 'admin'));
  const rehashed = await tryCommand({}, 'keys', 'rehash', '--json');
  expect(JSON.parse(rehashed.stdout)).toMatchObject({ left: 0, operators: [operator.id] });
  await rotateOperatorKey(drill);
  expect(await ask('keys', 'rehash', '--check')).toMatchObject({ left: 0, operators: [] });
  await stage('keys are hashed anew');
  expect(await openLink()).toEqual([402, 402]);
  writeSecret('key-pepper', next);
  await roll('API and admin have the new pepper alone', processesOf('api', 'admin'));
  expect(await openLink()).toEqual([404, 404]);
};

export const rotateOperatorKey: Step = async ({ ask, operator, adminUrls, stage }) => {
  const old = operator.key;
  operator.key = (await ask('operators', 'roll', operator.id, '--overlap', OVERLAP))['key'] as string;
  await sleep(AFTER_OVERLAP_MS);
  await stage('the operator shows the new key');
  const statuses = (key: string) => Promise.all(adminUrls.map(async (url) => (await askAdminAt(url, key)).status));
  expect([await statuses(old), await statuses(operator.key)]).toEqual([
    [401, 401],
    [200, 200],
  ]);
};

export const rotateMasterKey: Step = async ({ secret, writeSecret, setLine, ask, roll, stage }) => {
  const [old, next] = [secret('master-keys'), `2:${draw()}`];
  writeSecret('master-keys', `${old},${next}`);
  await roll('webhooks opens with both master keys', processesOf('webhooks'));
  writeSecret('master-keys', `${next},${old}`);
  const { sealKey } = await ask('keys', 'seal-key');
  for (const service of ['api', 'admin']) setLine(service, 'SVC_SEAL_KEY', String(sealKey));
  await roll('API and admin seal with the new master key', processesOf('api', 'admin', 'webhooks'));
  expect(await ask('keys', 'reseal')).toMatchObject({ left: [] });
  await stage('secrets are sealed anew');
  writeSecret('master-keys', next);
  await roll('webhooks has the new master key alone', processesOf('webhooks'));
  expect(await ask('keys', 'reseal', '--check')).toMatchObject({ masterKey: 2, left: [] });
};

export const rotateEngineIdentity: Step = async (drill) => {
  const { inFolder, environmentOf, setLine, roll, stage, restartEngine } = drill;
  const old = environmentOf('settlement')['SVC_ENGINE_IDENTITY_KEYS'];
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(inFolder('secrets', 'engine-identity.pem'), pem);
  const next = await identityThatDoctorPrints(drill);
  expect(next).not.toBe(old);
  const accept = (keys: string) => {
    for (const service of ['settlement', 'webhooks']) setLine(service, 'SVC_ENGINE_IDENTITY_KEYS', keys);
  };
  accept(`${next},${old}`);
  await roll('both identities of the engine are accepted', processesOf('settlement', 'webhooks'));
  await restartEngine();
  await stage('the engine signs with the new key');
  accept(next);
  await roll('the new identity alone is accepted', processesOf('settlement', 'webhooks'));
};

async function identityThatDoctorPrints({ tryCommand, folder }: Drill): Promise<string> {
  const { stdout } = await tryCommand({}, 'doctor', '--folder', folder, '--json');
  const { findings } = JSON.parse(stdout) as { findings: readonly { status: string; message: string }[] };
  const named = findings
    .filter(({ status }) => status === 'problem')
    .flatMap((finding) => JSON.stringify(finding).match(/publickeyv1_\w+/g) ?? []);
  expect(new Set(named).size).toBe(1);
  return named[0] ?? '';
}

export const rotateAuditKey: Step = async ({ writeSecret, inFolder, ask, tryCommand, roll, operator, adminUrls }) => {
  const heads = inFolder('heads.jsonl');
  const verified = async (SVC_AUDIT_PUBLIC_KEY: string) =>
    (await tryCommand({ SVC_AUDIT_PUBLIC_KEY }, 'audit', 'verify', '--heads', heads)).exitCode;
  const exportHead = () => ask('audit', 'export-head', '--file', heads);
  await exportHead();
  writeSecret('audit-signing-key', draw());
  await roll('the admin service signs heads with the new key', processesOf('admin'));
  // Something to sign.
  for (const url of adminUrls)
    expect((await post(`${url}/admin/accounts`, operator.key, { name: 'Another' })).ok).toBe(true);
  await exportHead();
  const lines = readFileSync(heads, 'utf8').trim().split('\n');
  const [old = '', next = ''] = lines.map((line) => (JSON.parse(line) as { signedBy: string }).signedBy);
  expect(next).not.toBe(old);
  expect([await verified(`${next},${old}`), await verified(next), await verified(old)]).toEqual([0, 1, 1]);
};
