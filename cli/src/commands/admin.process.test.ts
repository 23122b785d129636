import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startAdmin } from '@svc-pay/admin';
import { readAdminConfig } from '@svc-pay/admin/config';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { createLogger } from '@svc-pay/runtime/logging';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { askSvc, callSvc } from '../testing/call-svc.ts';
import { svcEnvironment } from '../testing/run-svc.ts';

const { url, pool } = await createTestDatabase();
const onDatabase = svcEnvironment(url);
const sealKey = (await callSvc(onDatabase, 'keys', 'seal-key')).stdout.trim();
const { key, operator } = (
  await askSvc(onDatabase, 'operators', 'create', '--name', 'Ada', '--email', 'ada@example.com')
).document as { key: string; operator: { id: string } };
const read = readAdminConfig({ ...onDatabase, SVC_SEAL_KEY: sealKey, SVC_ADMIN_PORT: '0' });
if (!read.ok) throw new Error(read.problems.join('\n'));
const admin = await startAdmin(read.config, { logger: createLogger('admin', 'silent') });
afterAll(admin.stop);
/** Neither database nor pepper nor master key. */
const byApi = { SVC_ADMIN_URL: admin.url, SVC_OPERATOR_KEY: key };

type MadeKey = { readonly id: string };
type Document = { readonly account: { readonly id: string }; readonly keys: readonly MadeKey[]; readonly key: MadeKey };
type Exported = { readonly exported: { readonly signedBy: string } };

/** What a command answers, with the names of what differs in each run. */
function shape(document: unknown): unknown {
  const text = JSON.stringify(document)
    .replaceAll(/(acct|key)_[0-9a-z]{26}/g, '$1_…')
    .replaceAll(/([ps]k_(?:test|live)_)[0-9A-Za-z]{49}/g, '$1…')
    .replaceAll(/([ps]k_(?:test|live)?_?)…[0-9A-Za-z]{4}/g, '$1…')
    .replaceAll(/\d{4}-\d\d-\d\d(?:T[\d:.]+Z| [\d:]+ UTC)/g, 'time');
  const read = JSON.parse(text) as { keys?: unknown };
  // Keys of one millisecond are listed in any order.
  if (!Array.isArray(read.keys)) return read;
  const keys: readonly unknown[] = read.keys;
  return { ...read, keys: keys.map((key) => JSON.stringify(key)).toSorted() };
}

async function walk(environment: Readonly<Record<string, string>>): Promise<unknown[]> {
  const documents: unknown[] = [];
  const svc = async (...argv: string[]) => {
    const { exitCode, document } = await askSvc(environment, ...argv);
    documents.push({ argv: shape(argv), exitCode, document: shape(document) });
    return document as Document;
  };
  const { account, keys } = await svc('accounts', 'create', '--name', 'A shop');
  const of = ['--account', account.id, '--mode', 'test'];
  await svc('accounts', 'limits', 'set', ...of, '--minimum-usd', '0.50');
  await svc('accounts', 'limits', 'set', ...of, '--rate', '400');
  await svc('accounts', 'limits', 'show', '--account', account.id);
  await svc('accounts', 'publishable', 'set', ...of, '--origins', 'https://shop.example');
  await svc('accounts', 'publishable', 'show', '--account', account.id);
  await svc('keys', 'create', ...of, '--kind', 'secret', '--scopes', 'read,webhooks');
  const { key: fresh } = await svc('keys', 'roll', ...of, '--overlap', '2h');
  await svc('keys', 'roll', ...of);
  await svc('keys', 'sign-with', fresh.id);
  await svc('keys', 'revoke', fresh.id);
  await svc('keys', 'revoke', fresh.id, '--now');
  await svc('keys', 'revoke', keys[1]!.id);
  await svc('keys', 'list', '--account', account.id);
  await svc('payouts', 'list', '--account', account.id);
  await svc('payouts', 'disable', '--account', account.id, '--network', 'eip155:84532', '--payout-id', '7');
  await svc('accounts', 'close', '--account', account.id);
  await svc('accounts', 'close', '--account', account.id);
  return documents;
}

test('the command answers the same by the admin API as on the database', async () => {
  const remote = await walk(byApi);
  const local = await walk(onDatabase);
  expect(remote).toEqual(local);
});

test('by the admin API and with the key on the database a change is on record under the operator’s id', async () => {
  const actorsOf = async (environment: Readonly<Record<string, string>>) => {
    const { account } = (await askSvc(environment, 'accounts', 'create', '--name', 'A shop')).document as Document;
    const { rows } = await pool.query('select distinct actor from svc.audit where account_id = $1', [account.id]);
    return rows.map(({ actor }) => actor);
  };
  expect(await actorsOf({ ...byApi, SVC_OPERATOR: 'eve' })).toEqual([`operator:${operator.id}`]);
  expect(await actorsOf({ ...onDatabase, SVC_OPERATOR_KEY: key })).toEqual([`operator:${operator.id}`]);
  expect(await actorsOf(onDatabase)).toEqual(['operator:ada']);
});

test.each([
  ['a name that is an operator’s id', { ...onDatabase, SVC_OPERATOR: operator.id }, 'configuration'],
  ['a key that nobody has, on the database', { ...onDatabase, SVC_OPERATOR_KEY: 'opk_canary' }, 'operator_unknown'],
  ['a key that nobody has', { ...byApi, SVC_OPERATOR_KEY: 'opk_canary' }, 'key_invalid'],
  ['no key', { SVC_ADMIN_URL: admin.url }, 'configuration'],
  ['an address that everybody on the way reads', { ...byApi, SVC_ADMIN_URL: 'http://admin.example' }, 'configuration'],
  ['an address where nobody listens', { ...byApi, SVC_ADMIN_URL: 'http://127.0.0.1:9' }, 'admin_unreachable'],
])('%s changes nothing', async (_, environment, error) => {
  const before = (await pool.query('select count(*) from svc.accounts')).rows;
  const answer = await callSvc(environment, 'accounts', 'create', '--name', 'A shop', '--json');
  expect(answer.exitCode).toBe(1);
  expect(JSON.parse(answer.stdout)).toMatchObject({ error });
  expect(answer.stdout + answer.stderr).not.toContain('canary');
  expect((await pool.query('select count(*) from svc.accounts')).rows).toEqual(before);
});

test('operators are listed without their keys, and a disabled one is refused at once', async () => {
  const made = (await askSvc(onDatabase, 'operators', 'create', '--name', 'Eve', '--email', 'eve@example.com'))
    .document as { key: string; operator: { id: string } };
  const again = await askSvc(onDatabase, 'operators', 'create', '--name', 'Eve', '--email', 'EVE@example.com');
  expect(again.document).toMatchObject({ error: 'operator_exists' });
  const eve = { ...byApi, SVC_OPERATOR_KEY: made.key };
  expect((await callSvc(eve, 'accounts', 'list')).exitCode).toBe(0);
  expect((await callSvc(onDatabase, 'operators', 'disable', made.operator.id)).exitCode).toBe(0);
  expect((await askSvc(eve, 'accounts', 'list')).document).toMatchObject({ error: 'key_invalid' });
  const listed = await callSvc(onDatabase, 'operators', 'list', '--json');
  expect(listed.stdout).not.toContain(made.key.slice(4, -6));
  expect((await askSvc(onDatabase, 'operators', 'disable', 'op_nobody')).document).toMatchObject({
    error: 'operator_unknown',
  });
});

test('a signed head that was kept elsewhere shows that the record was written anew; the signing key stays with who signs', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'heads.jsonl');
  const seed = randomBytes(32).toString('base64');
  const signing = { ...onDatabase, SVC_AUDIT_SIGNING_KEY: seed };
  const { account } = (await askSvc(onDatabase, 'accounts', 'create', '--name', 'A shop')).document as Document;
  const { exported } = (await askSvc(signing, 'audit', 'export-head', '--file', file)).document as Exported;
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(exported);
  expect((await askSvc(signing, 'audit', 'export-head')).document).toEqual({ exported: null });
  const verifier = { ...onDatabase, SVC_AUDIT_PUBLIC_KEY: exported.signedBy };
  const verify = () => askSvc(verifier, 'audit', 'verify', '--heads', file);
  expect(await verify()).toMatchObject({ exitCode: 0, document: { whole: true, exports: 1, lines: 1 } });

  const client = await pool.connect();
  await client.query('set session_replication_role = replica');
  await client.query(
    `update svc.audit set actor = 'operator:eve', sequence = null, previous_hash = null, hash = null
     where account_id = $1`,
    [account.id],
  );
  await client.query('delete from svc.audit_heads where account_id = $1', [account.id]);
  await client.query('reset session_replication_role');
  client.release();
  await askSvc(onDatabase, 'audit', 'seal');
  const broken = await verify();
  expect(broken).toMatchObject({ exitCode: 1, document: { whole: false } });
  const text = await callSvc(verifier, 'audit', 'verify', '--heads', file);
  expect(text.stdout).toContain(`names an entry that is not in its chain any more: ${account.id}/live/3`);

  appendFileSync(file, `${JSON.stringify({ ...exported, number: '99' })}\n`);
  expect((await callSvc(verifier, 'audit', 'verify', '--heads', file)).stdout).toContain('does not fit');
  appendFileSync(file, 'no line\n');
  expect(await verify()).toMatchObject({ exitCode: 64 });
  expect(await askSvc(onDatabase, 'audit', 'export-head')).toMatchObject({
    exitCode: 1,
    document: { error: 'configuration' },
  });
});
