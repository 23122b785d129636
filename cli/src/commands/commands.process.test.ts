import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, idAt, insertRow } from '@svc-pay/postgres/testing';
import { expect, onTestFinished, test } from 'vitest';
import { askSvc, callSvc } from '../testing/call-svc.ts';
import { runSvc, svcEnvironment } from '../testing/run-svc.ts';

type Created = {
  account: { id: string; name: string };
  keys: { id: string; mode: string; kind: string; text: string }[];
};

const { url, pool } = await createTestDatabase();
const environment = svcEnvironment(url);
const create = async (name = 'A shop') =>
  (await askSvc(environment, 'accounts', 'create', '--name', name)).document as Created;
const PAYER = `0x${'ab'.repeat(20)}`;

test('accounts create prints working keys once; nothing shows a secret key again', async () => {
  const text = await runSvc(environment, 'accounts', 'create', '--name', 'Café');
  expect(text).toMatchObject({ exitCode: 0, stderr: '' });
  expect(text.stdout.match(/[ps]k_(?:test|live)_[0-9A-Za-z]{49}/g)).toHaveLength(4);
  expect(text.stdout).toContain('shown this once');
  expect(text.stdout).not.toContain('\u001B');
  const secrets = text.stdout.match(/sk_(?:test|live)_[0-9A-Za-z]{49}/g) ?? [];
  const lists = await Promise.all([
    callSvc(environment, 'accounts', 'list'),
    callSvc(environment, 'keys', 'list'),
    callSvc(environment, 'keys', 'list', '--json'),
  ]);
  for (const { exitCode, stdout } of lists) {
    expect(exitCode).toBe(0);
    for (const secret of secrets) expect(stdout).not.toContain(secret.slice(8, -4));
  }
});

test('the process itself: help is 0, a wrong call 64, a failure 1, and a pipe gets no colours', async () => {
  const [help, wrong, failed] = await Promise.all([
    runSvc({ FORCE_COLOR: '0' }, '--help'),
    runSvc({}, 'no-such-command'),
    runSvc({}, 'accounts', 'list'),
  ]);
  expect(help).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('Examples:') });
  expect(wrong).toMatchObject({ exitCode: 64, stdout: '', stderr: expect.stringContaining('--help') });
  expect(failed).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining('SVC_DATABASE_URL is missing'),
  });
  for (const { stdout, stderr } of [help, wrong, failed]) expect(stdout + stderr).not.toContain('\u001B');
});

test('the seal key is the public half of the first master key, and needs no database', async () => {
  const { SVC_MASTER_KEYS = '' } = environment;
  const shown = await callSvc({ SVC_MASTER_KEYS }, 'keys', 'seal-key');
  expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
  expect(shown.stdout.trim()).toMatch(/^\d+:[A-Za-z0-9+/]{43}=$/);
  expect(SVC_MASTER_KEYS).not.toContain(shown.stdout.trim().split(':')[1]);
});

test('the minimum of an account is set by mode, shown, audited and taken back; an unknown account is refused', async () => {
  const { account } = await create();
  const of = ['--account', account.id, '--mode', 'live'];
  const set = (minimum: string) => askSvc(environment, 'accounts', 'limits', 'set', ...of, '--minimum-usd', minimum);
  const show = async () => (await askSvc(environment, 'accounts', 'limits', 'show', '--account', account.id)).document;
  const limits = (live: string | null) => ({
    limits: [
      { mode: 'test', minimumUsd: null, ratePerSecond: null },
      { mode: 'live', minimumUsd: live, ratePerSecond: null },
    ],
  });
  expect(await show()).toMatchObject(limits(null));
  expect(await set('0.50')).toMatchObject({ exitCode: 0, document: { mode: 'live', minimumUsd: '0.5' } });
  expect(await show()).toMatchObject(limits('0.5'));
  expect(await set('none')).toMatchObject({ exitCode: 0, document: { minimumUsd: null } });
  expect(await show()).toMatchObject(limits(null));
  const rate = await askSvc(environment, 'accounts', 'limits', 'set', ...of, '--rate', '400');
  expect(rate).toMatchObject({ exitCode: 0, document: { mode: 'live', ratePerSecond: 400 } });
  expect(await show()).toMatchObject({ limits: [{}, { mode: 'live', minimumUsd: null, ratePerSecond: 400 }] });
  const { rows } = await pool.query(
    "select mode, detail->>'minimumUsdMicros' as micros, detail->>'ratePerSecond' as rate from svc.audit where target = $1 and action = $2 order by id",
    [account.id, 'account.limits_set'],
  );
  expect(rows).toEqual([
    { mode: 'live', micros: '500000', rate: null },
    { mode: 'live', micros: null, rate: null },
    { mode: 'live', micros: null, rate: '400' },
  ]);
  const nobody = ['--account', 'acct_nobody', '--mode', 'test', '--minimum-usd', '1'];
  expect(await askSvc(environment, 'accounts', 'limits', 'set', ...nobody)).toMatchObject({
    exitCode: 1,
    document: { error: 'account_unknown' },
  });
});

test('what publishable keys may do is set by mode, shown and audited; what is not given stays', async () => {
  const { account } = await create();
  const of = ['--account', account.id, '--mode', 'live'];
  const set = (...change: string[]) => askSvc(environment, 'accounts', 'publishable', 'set', ...of, ...change);
  const show = async () =>
    (await askSvc(environment, 'accounts', 'publishable', 'show', '--account', account.id)).document;
  const rights = (live: object) => ({
    publishable: [
      { mode: 'test', origins: null, creates: true },
      { mode: 'live', ...live },
    ],
  });
  expect(await show()).toMatchObject(rights({ origins: null, creates: true }));
  const origins = ['https://shop.example', 'https://www.shop.example'];
  expect(await set('--origins', 'https://shop.example/, https://WWW.shop.example')).toMatchObject({
    document: { origins },
  });
  expect(await set('--creates', 'no')).toMatchObject({ exitCode: 0, document: { origins, creates: false } });
  expect(await show()).toMatchObject(rights({ origins, creates: false }));
  expect(await set('--origins', 'any', '--creates', 'yes')).toMatchObject({
    document: { origins: null, creates: true },
  });
  for (const wrong of [
    'http://shop.example',
    'https://shop.example/pay',
    'shop.example',
    '*',
    '',
    'https://a.example,',
  ])
    expect([wrong, (await set('--origins', wrong)).exitCode]).toEqual([wrong, 64]);
  expect((await set()).exitCode).toBe(64);
  const { rows } = await pool.query(
    "select detail->'origins' as origins, detail->'creates' as creates from svc.audit where target = $1 and action = $2 order by id",
    [account.id, 'account.publishable_set'],
  );
  expect(rows).toEqual([
    { origins, creates: true },
    { origins, creates: false },
    { origins: null, creates: true },
  ]);
  const nobody = ['--account', 'acct_nobody', '--mode', 'test', '--creates', 'no'];
  expect(await askSvc(environment, 'accounts', 'publishable', 'set', ...nobody)).toMatchObject({
    exitCode: 1,
    document: { error: 'account_unknown' },
  });
});

test('a key is rolled, switched to and its predecessor revoked', async () => {
  const { account, keys } = await create();
  const old = keys.find(({ mode, kind }) => mode === 'live' && kind === 'secret')!;
  const of = ['--account', account.id, '--mode', 'live'];
  const refused = await askSvc(environment, 'keys', 'revoke', old.id);
  expect(refused).toMatchObject({
    exitCode: 1,
    document: { error: 'key_signs', advice: expect.stringContaining('roll') },
  });
  const rolled = (await askSvc(environment, 'keys', 'roll', ...of, '--overlap', '2h')).document as {
    key: { id: string };
  };
  expect(rolled).toMatchObject({ key: { signs: false }, rolled: { id: old.id } });
  const switched = await askSvc(environment, 'keys', 'sign-with', rolled.key.id);
  expect(switched.document).toMatchObject({ changed: true, before: old.id });
  expect(await askSvc(environment, 'keys', 'revoke', old.id)).toMatchObject({
    exitCode: 0,
    document: { changed: true },
  });
  const listed = (await askSvc(environment, 'keys', 'list', ...of)).document as {
    keys: { id: string; state: string; signs: boolean }[];
  };
  expect(listed.keys.filter(({ signs }) => signs)).toEqual([expect.objectContaining({ id: rolled.key.id })]);
  expect(listed.keys.find(({ id }) => id === old.id)).toMatchObject({ state: 'revoked' });
});

test('two operators who roll the same key at the same moment: one does, the other is told', async () => {
  const { account } = await create();
  const roll = () => runSvc(environment, 'keys', 'roll', '--account', account.id, '--mode', 'test', '--json');
  const results = await Promise.all([roll(), roll()]);
  expect(results.map(({ exitCode }) => exitCode).toSorted((one, other) => one - other)).toEqual([0, 1]);
  const loser = results.find(({ exitCode }) => exitCode === 1);
  expect(JSON.parse(loser?.stdout ?? '')).toMatchObject({ error: 'roll_in_progress' });
});

test('tokens and payouts are set, repeated without effect, and listed', async () => {
  const { account } = await create();
  const of = ['--account', account.id, '--mode', 'test'];
  const enable = () => askSvc(environment, 'tokens', 'enable', 'basesepolia_usdc', 'ANVIL_USDC', ...of);
  expect(await enable()).toMatchObject({ document: { changed: ['basesepolia_usdc', 'anvil_usdc'] } });
  expect(await enable()).toMatchObject({
    exitCode: 0,
    document: { changed: [], unchanged: ['basesepolia_usdc', 'anvil_usdc'] },
  });
  expect(await askSvc(environment, 'tokens', 'enable', 'base_usdc', ...of)).toMatchObject({
    exitCode: 1,
    document: { error: 'token_of_other_mode' },
  });
  const terms = [
    '--network',
    'eip155:84532',
    '--merchant',
    `0x${'66'.repeat(20)}`,
    '--processor',
    `0x${'52'.repeat(20)}`,
  ];
  const set = async (...more: string[]) => {
    const { exitCode, document } = await askSvc(environment, 'payouts', 'set', ...of, ...terms, ...more);
    return { exitCode, document: document as { payout: { payoutId: string } } };
  };
  const first = await set('--fee-bps', '100', '--split', `0x${'77'.repeat(20)}:250`);
  expect(first.document).toMatchObject({ change: 'created', payout: { status: 'active', splits: [{ bps: 250 }] } });
  const other = await set('--fee-bps', '200');
  expect(other.document.payout.payoutId).not.toBe(first.document.payout.payoutId);
  const fixed = await set('--fee-bps', '300', '--payout-id', first.document.payout.payoutId);
  expect(fixed).toMatchObject({ exitCode: 1, document: { error: 'payout_terms_fixed' } });
  expect(await set('--fee-bps', '2000')).toMatchObject({ exitCode: 64, document: { error: 'usage' } });
  const listed = await callSvc(environment, 'payouts', 'list', '--account', account.id);
  expect(listed.stdout.split('\n')).toHaveLength(4);
});

test('a payer is exported and erased, and the record verifies until somebody changes it', async () => {
  const { account } = await create();
  await insertRow(pool, 'attempts', { account_id: account.id, id: idAt('att', Date.now()), payer: PAYER });
  const exported = await askSvc(environment, 'privacy', 'export', PAYER);
  expect(exported.document).toMatchObject({
    payer: PAYER,
    rows: { attempts: [{ account_id: account.id }], payments: [] },
  });
  const erased = await askSvc(environment, 'privacy', 'erase', PAYER, '--yes');
  expect(erased.document).toMatchObject({ erased: { attempts: 1 }, kept: { attempts: 0 } });

  expect(await askSvc(environment, 'audit', 'seal')).toMatchObject({ exitCode: 0 });
  const of = ['--account', account.id];
  expect(await askSvc(environment, 'audit', 'verify', ...of)).toMatchObject({ exitCode: 0, document: { whole: true } });
  await pool.query('alter table svc.audit disable trigger user');
  const { rows } = await pool.query(
    "update svc.audit set actor = 'operator:eve' where account_id = $1 and mode = 'test' and sequence = 2 returning id",
    [account.id],
  );
  await pool.query('alter table svc.audit enable trigger user');
  const broken = await callSvc(environment, 'audit', 'verify', ...of);
  expect(broken.exitCode).toBe(1);
  expect(broken.stdout).toContain(`${rows[0].id} was changed`);
});

test('the doctor names what is wrong with the harness database, and its report holds no secret', async () => {
  await create();
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'report.json');
  const { exitCode, stdout, stderr } = await runSvc(environment, 'doctor', '--bundle', file);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/ok +database migrations: The schema is that of this release/);
  expect(stdout).toMatch(/ok +configuration SVC_KEY_PEPPER: \d+ stored keys are found with it/);
  expect(stdout).toMatch(/wrong +database fsync: fsync is off: a crash can lose payments.*\n +→ Set fsync = on/);
  expect(stdout).toMatch(/look +configuration SVC_NETWORKS: No network is configured/);
  const report = readFileSync(file, 'utf8');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(report)).toMatchObject({ settings: { SVC_DATABASE_URL: 'set' }, findings: expect.any(Array) });
  for (const text of [stdout, stderr, report]) {
    for (const secret of [
      new URL(url).password,
      environment['SVC_KEY_PEPPER']!,
      environment['SVC_MASTER_KEYS']!.slice(2),
    ]) {
      expect(text).not.toContain(secret);
    }
  }
  expect(await askSvc(environment, 'doctor', '--bundle', file)).toMatchObject({
    exitCode: 1,
    document: { error: 'bundle_not_written' },
  });
});

test('the doctor finds a pepper that keys were not made with', async () => {
  await create();
  const other = { ...environment, SVC_KEY_PEPPER: Buffer.alloc(32, 9).toString('base64') };
  const { findings } = (await askSvc(other, 'doctor')).document as { findings: unknown[] };
  expect(findings).toContainEqual(expect.objectContaining({ subject: 'SVC_KEY_PEPPER', status: 'problem' }));
});

test('a relayer is drained, retired when nothing of it is open, and activated again, each with an audit entry', async () => {
  const [network, address] = ['eip155:84532', `0x${'7a'.repeat(20)}`];
  await pool.query(
    `insert into svc.relayers (network, address, mode, next_nonce, status, updated_at)
     values ($1, $2, 'test', 0, 'active', now())`,
    [network, address],
  );
  const relayers = (...argv: string[]) => askSvc(environment, 'relayers', ...argv, '--network', network);
  const statusNow = async () =>
    (await pool.query('select status from svc.relayers where address = $1', [address])).rows[0].status;
  expect((await relayers('retire', address)).document).toMatchObject({ error: 'relayer_not_draining' });
  expect((await relayers('drain', address)).document).toMatchObject({ changed: true, before: 'active' });
  await insertRow(pool, 'batches', { network, relayer: address, status: 'broadcast', id: 'bat_open' });
  expect((await relayers('retire', address)).document).toMatchObject({ error: 'relayer_has_unfinished' });
  await pool.query("update svc.batches set status = 'finalized' where id = 'bat_open'");
  expect((await relayers('retire', address)).document).toMatchObject({ changed: true });
  expect(await statusNow()).toBe('retired');
  expect((await relayers('activate', address)).document).toMatchObject({ changed: true, before: 'retired' });
  expect((await relayers('drain', `0x${'00'.repeat(20)}`)).document).toMatchObject({ error: 'relayer_unknown' });
  const { rows } = await pool.query("select action, actor from svc.audit where account_id = 'platform' order by id");
  expect(rows.map(({ action }) => action)).toEqual(['relayer.draining', 'relayer.retired', 'relayer.active']);
  const listed = (await askSvc(environment, 'relayers', 'list')).document as { relayers: { relayer: string }[] };
  expect(listed.relayers.map(({ relayer }) => relayer)).toContain(address);
});

test('deny add, list and remove: who, why, until when, and an audit entry that shows no address', async () => {
  const { keys } = await create('A shop with a leak');
  const keyId = keys[0]!.id;
  const add = (...argv: string[]) => askSvc(environment, 'deny', 'add', ...argv);
  expect(await add('203.0.113.99/24', '--reason', 'flood of creates', '--for', '24h')).toMatchObject({
    exitCode: 0,
    document: { kind: 'address', value: '203.0.113.0/24', reason: 'flood of creates', expiresAt: expect.any(String) },
  });
  expect((await add(PAYER, '--reason', 'burns gas')).document).toMatchObject({ kind: 'payer', expiresAt: null });
  expect((await add(keyId, '--reason', 'leaked')).document).toMatchObject({ kind: 'key', value: keyId });
  // The hash of an address is another one tomorrow.
  const hash = (await add('00ff00ff00ff00ff', '--reason', 'streams', '--for', '7d')).document as { expiresAt: string };
  expect(Date.parse(hash.expiresAt) - Date.now()).toBeLessThanOrEqual(86_400_000);
  expect(hash.expiresAt).toMatch(/T00:00:00/);
  expect(await add(keyId.replace(/.$/, keyId.endsWith('0') ? '1' : '0'), '--reason', 'x')).toMatchObject({
    exitCode: 1,
    document: { error: 'key_unknown' },
  });

  const { denied } = (await askSvc(environment, 'deny', 'list')).document as { denied: { value: string }[] };
  expect(denied.map(({ value }) => value)).toEqual(['00ff00ff00ff00ff', keyId, PAYER, '203.0.113.0/24']);
  expect((await callSvc(environment, 'deny', 'list')).stdout).toContain('flood of creates');
  for (const { value } of denied)
    expect(await askSvc(environment, 'deny', 'remove', value)).toMatchObject({ exitCode: 0 });
  expect((await askSvc(environment, 'deny', 'remove', PAYER)).document).toMatchObject({ error: 'not_denied' });
  expect((await callSvc(environment, 'deny', 'list')).stdout).toContain('Nobody is denied');

  const { rows } = await pool.query<{ line: string; target: string }>(
    "select target, entry::text as line from svc.audit entry where action like 'deny.%' order by id",
  );
  expect(rows).toHaveLength(8);
  expect(rows.filter(({ line }) => line.includes('203.0.113') || line.includes(PAYER.slice(2)))).toEqual([]);
  expect(rows.filter(({ target }) => target === keyId)).toHaveLength(2);
});

test('abuse top adds up what the processes wrote, and names the gas that payers lost', async () => {
  const empty = await callSvc(environment, 'abuse', 'top');
  expect(empty).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Nothing was counted') });
  await pool.query(
    `insert into svc.abuse_counts (hour, process, cause, subject_kind, subject, occurrences, paid)
     select date_trunc('hour', now()), gen_random_uuid(), cause, kind, subject, occurrences, paid
     from (values ('refused', 'address', '00ff00ff00ff00ff', 30, 0), ('created', 'key', 'key_flood', 500, 20)) as
       given (cause, kind, subject, occurrences, paid), generate_series(1, 2)`,
  );
  await insertRow(pool, 'gas_losses', { id: idAt('lg', Date.now()), payer: PAYER, amount: '77000' });
  const { stdout } = await callSvc(environment, 'abuse', 'top');
  expect(stdout).toMatch(/^refused +address +00ff00ff00ff00ff +60$/m);
  expect(stdout).toMatch(/^intents unpaid +key +key_flood +960 +1000$/m);
  expect(stdout).toMatch(new RegExp(`^77000 +eip155:84532 +1 +${PAYER} +acct_a/test$`, 'm'));
  const { document } = await askSvc(environment, 'abuse', 'top', '--since', '2h', '--most', '1');
  expect(document).toMatchObject({ counts: [{ count: 60 }, { count: 1000, paid: 40 }], gasLosses: [{ payer: PAYER }] });
});

test('abuse hash names the days of an address; another pepper names others', async () => {
  const ask = async (env: typeof environment, address: string) =>
    (await askSvc(env, 'abuse', 'hash', address, '--days', '2')).document as { hashes: { addressHash: string }[] };
  const shown = await ask(environment, '2001:db8::7');
  expect(shown.hashes).toHaveLength(2);
  expect(new Set(shown.hashes.map(({ addressHash }) => addressHash)).size).toBe(2);
  expect(await ask(environment, '2001:db8::8')).toEqual(shown);
  expect(await ask(svcEnvironment(url), '2001:db8::7')).not.toEqual(shown);
});
