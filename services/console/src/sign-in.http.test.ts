import { expect, test } from 'vitest';
import { createAuthenticator } from './testing/authenticator.ts';
import { createConsoleHarness, ORIGIN } from './testing/console-harness.ts';

const { pool, time, logs, url, newAccount, invite, newBrowser, newMember } = await createConsoleHarness();
const account = await newAccount();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const endOf = async (sessionId: unknown) => {
  const { rows } = await pool.query<{ end_reason: string | null }>(
    'select end_reason from svc.console_sessions where id = $1',
    [sessionId],
  );
  return rows[0]?.end_reason;
};
const sessionIdOf = async (browser: { get: (path: string) => Promise<{ body: Record<string, unknown> }> }) =>
  ((await browser.get('/me')).body['session'] as { id: string } | undefined)?.id;
const auditOf = async (actor: string) => {
  const { rows } = await pool.query<{ action: string }>(
    'select action from svc.audit where actor = $1 order by action',
    [actor],
  );
  return rows.map(({ action }) => action);
};

test('an invitation makes a person with a passkey, who is signed in, signs out and signs in again', async () => {
  const browser = newBrowser();
  const token = await invite(account, 'developer', 'Barbara Liskov');
  const shown = await browser.post('/invitations/show', { token });
  expect(shown.body).toEqual({ kind: 'join', name: 'Barbara Liskov', accountName: 'A shop', role: 'developer' });
  expect((await browser.accept(token)).status).toBe(200);
  const me = (await browser.get('/me')).body;
  expect(me).toMatchObject({
    person: { name: 'Barbara Liskov', operatorView: false },
    memberships: [{ accountId: account, accountName: 'A shop', role: 'developer' }],
    modes: ['test', 'live'],
  });
  expect((await browser.post('/sign-out')).status).toBe(200);
  expect(browser.jar.cookie).toBe('');
  expect((await browser.get('/me')).body.error).toBe('session_missing');
  expect((await browser.signIn()).status).toBe(200);
  const { id } = me['person'] as { id: string };
  expect((await browser.get('/me')).body['person']).toMatchObject({ id });
  expect(await auditOf(`person:${id}`)).toEqual(['person.joined', 'session.begun', 'session.begun', 'session.ended']);
});

test('a session ends for good when it is signed out: its cookie opens nothing', async () => {
  const browser = await newMember(account, 'viewer');
  const { cookie } = browser.jar;
  await browser.post('/sign-out');
  browser.jar.cookie = cookie;
  expect((await browser.get('/me')).body.error).toBe('session_over');
});

test.each([
  ['used', async (token: string) => void (await newBrowser().accept(token))],
  ['expired', async () => void (time.nowMs += 72 * HOUR)],
  [
    'withdrawn',
    async () => void (await pool.query('update svc.invitations set revoked_at = now() where used_at is null')),
  ],
  [
    'of a closed account',
    async () => void (await pool.query("update svc.accounts set status = 'closed' where id = $1", [account])),
  ],
])('an invitation that is %s opens nothing', async (_, spoil) => {
  const token = await invite(account, 'owner');
  const browser = newBrowser();
  const { body } = await browser.post('/invitations/accept/options', { token });
  const answer = browser.authenticator.register(body.options);
  await spoil(token);
  const refusals = [
    await browser.post('/invitations/show', { token }),
    await browser.post('/invitations/accept/options', { token }),
    await browser.post('/invitations/accept/verify', { token, answer, passkeyName: 'Laptop' }),
  ];
  await pool.query("update svc.accounts set status = 'active' where id = $1", [account]);
  expect(refusals.map(({ body: refused }) => refused.error)).toEqual(Array(3).fill('invitation_invalid'));
  expect(browser.jar.cookie).toBe('');
});

test('of two who accept one invitation at the same time, one becomes a member', async () => {
  const token = await invite(account, 'viewer', 'Race');
  const verify = await Promise.all(
    [newBrowser(), newBrowser()].map(async (browser) => {
      const { options } = (await browser.post('/invitations/accept/options', { token })).body;
      const answer = browser.authenticator.register(options);
      return () => browser.post('/invitations/accept/verify', { token, answer, passkeyName: 'Laptop' });
    }),
  );
  const answers = await Promise.all(verify.map((send) => send()));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
  const { rows } = await pool.query("select from svc.persons where name = 'Race'");
  expect(rows).toHaveLength(1);
});

test('an answer of a passkey is taken once', async () => {
  const browser = await newMember(account, 'viewer');
  await browser.post('/sign-out');
  const { body } = await browser.post('/sign-in/options');
  const answer = browser.authenticator.answer(body.options);
  expect((await browser.post('/sign-in/verify', { answer })).status).toBe(200);
  const thief = newBrowser();
  expect((await thief.post('/sign-in/verify', { answer })).body.error).toBe('passkey_refused');
  expect(thief.jar.cookie).toBe('');
});

test('an answer that comes after five minutes is refused', async () => {
  const browser = await newMember(account, 'viewer');
  const { body } = await browser.post('/sign-in/options');
  time.nowMs += 5 * MINUTE;
  const late = await browser.post('/sign-in/verify', { answer: browser.authenticator.answer(body.options) });
  expect(late.body.error).toBe('passkey_refused');
});

test.each([
  ['of another origin', { origin: 'https://evil.example.com' }],
  ['of a page of the same host on another port', { origin: `${ORIGIN}:8443` }],
  ['for another relying party', { rpId: 'evil.example.com' }],
  ['without user verification', { userVerified: false }],
  ['of another ceremony', { type: 'webauthn.create' }],
])('an answer %s signs nobody in', async (_, lies) => {
  const browser = await newMember(account, 'viewer');
  await browser.post('/sign-out');
  const { body } = await browser.post('/sign-in/options');
  const refused = await browser.post('/sign-in/verify', { answer: browser.authenticator.answer(body.options, lies) });
  expect(refused).toMatchObject({ status: 401, body: { error: 'passkey_refused' } });
  expect(browser.jar.cookie).toBe('');
});

test.each([
  ['of another origin', { origin: 'https://evil.example.com' }],
  ['for another relying party', { rpId: 'evil.example.com' }],
  ['without user verification', { userVerified: false }],
])('a passkey %s is not registered', async (_, lies) => {
  const browser = newBrowser();
  const token = await invite(account, 'viewer');
  const { body } = await browser.post('/invitations/accept/options', { token });
  const answer = browser.authenticator.register(body.options, lies);
  const refused = await browser.post('/invitations/accept/verify', { token, answer, passkeyName: 'Laptop' });
  expect(refused.body.error).toBe('passkey_refused');
  expect((await browser.post('/invitations/show', { token })).status).toBe(200);
});

test('a challenge is good for the purpose, session and invitation that it was made for', async () => {
  const [one, other] = [await newMember(account, 'viewer'), await newMember(account, 'viewer')];
  const signInChallenge = (await one.post('/sign-in/options')).body.options;
  const asCheck = await one.post('/check/verify', { answer: one.authenticator.answer(signInChallenge) });
  expect(asCheck.body.error).toBe('passkey_refused');
  const checkChallenge = (await one.post('/check/options')).body.options;
  const ofOther = await other.post('/check/verify', { answer: other.authenticator.answer(checkChallenge) });
  expect(ofOther.body.error).toBe('passkey_refused');
  const [first, second] = [await invite(account, 'viewer'), await invite(account, 'owner')];
  const stranger = newBrowser();
  const { options } = (await stranger.post('/invitations/accept/options', { token: first })).body;
  const answer = stranger.authenticator.register(options);
  const elsewhere = await stranger.post('/invitations/accept/verify', { token: second, answer, passkeyName: 'Laptop' });
  expect(elsewhere.body.error).toBe('passkey_refused');
});

test('nobody passes a check with the passkey of another person', async () => {
  const [one, other] = [await newMember(account, 'owner'), await newMember(account, 'viewer')];
  const { options } = (await one.post('/check/options')).body;
  const refused = await one.post('/check/verify', { answer: other.authenticator.answer(options) });
  expect(refused.body.error).toBe('passkey_refused');
});

test('a copy of a device that counts its uses is refused', async () => {
  const browser = await newMember(account, 'viewer');
  await browser.signIn();
  await browser.signIn();
  browser.authenticator.rewind();
  expect((await browser.signIn()).body.error).toBe('passkey_refused');
});

test('refusals of strangers do not tell whether a passkey is known', async () => {
  const known = await newMember(account, 'viewer');
  await known.post('/sign-out');
  const stranger = newBrowser();
  stranger.authenticator.register({ challenge: '', rp: { id: 'console.example.com' } });
  const refusalOf = async (browser: typeof stranger, lies: object) => {
    const { options } = (await browser.post('/sign-in/options')).body;
    const { status, body } = await browser.post('/sign-in/verify', {
      answer: browser.authenticator.answer(options, lies),
    });
    return { status, ...body, requestId: null };
  };
  expect(await refusalOf(stranger, {})).toEqual(await refusalOf(known, { userVerified: false }));
});

test('signing in makes a token that nobody knew before, and ends the session that the browser had', async () => {
  const attacker = await newMember(account, 'viewer');
  const victim = await newMember(account, 'owner');
  const planted = attacker.jar.cookie;
  victim.jar.cookie = planted;
  await victim.signIn();
  expect(victim.jar.cookie).not.toBe(planted);
  expect((await attacker.get('/me')).body.error).toBe('session_over');
  const cookie = victim.jar.cookie;
  const made = newBrowser();
  made.jar.cookie = `__Host-svc_console=${'A'.repeat(86)}`;
  expect((await made.get('/me')).body.error).toBe('session_over');
  await victim.signIn();
  expect(victim.jar.cookie).not.toBe(cookie);
});

test('the cookie is for this host alone, and for no script', async () => {
  const browser = newBrowser();
  const { headers } = await browser.accept(await invite(account, 'viewer'));
  expect(headers.get('set-cookie')).toMatch(
    /^__Host-svc_console=[\w-]{86}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
});

test('the token is replaced after an hour, and one that comes back later ends the session', async () => {
  const browser = await newMember(account, 'viewer');
  const old = browser.jar.cookie;
  const sessionId = await sessionIdOf(browser);
  expect(browser.jar.cookie).toBe(old);
  time.nowMs += HOUR;
  // The answer is lost: the old token stays good, and a minute later another one is issued.
  await browser.get('/me');
  expect(browser.jar.cookie).not.toBe(old);
  browser.jar.cookie = old;
  expect((await browser.get('/me')).status).toBe(200);
  expect(browser.jar.cookie).toBe(old);
  time.nowMs += MINUTE;
  await browser.get('/me');
  const current = browser.jar.cookie;
  expect(current).not.toBe(old);
  expect((await browser.get('/me')).status).toBe(200);
  const thief = newBrowser();
  thief.jar.cookie = old;
  time.nowMs += 29_000;
  expect((await thief.get('/me')).status).toBe(200);
  time.nowMs += 1_000;
  expect((await thief.get('/me')).body.error).toBe('session_over');
  expect(await endOf(sessionId)).toBe('secret_reused');
  expect((await browser.get('/me')).body.error).toBe('session_over');
  expect(logs.some((line) => line.includes('console_token_reused'))).toBe(true);
});

test('a session ends after two hours without a request, and after twelve hours in any case', async () => {
  const idle = await newMember(account, 'viewer');
  const id = await sessionIdOf(idle);
  time.nowMs += 2 * HOUR;
  expect((await idle.get('/me')).body.error).toBe('session_over');
  expect(await endOf(id)).toBe('idle');
  const busy = await newMember(account, 'viewer');
  for (let hour = 0; hour < 11; hour += 1) {
    time.nowMs += HOUR;
    expect((await busy.get('/me')).status).toBe(200);
  }
  time.nowMs += HOUR;
  expect((await busy.get('/me')).body.error).toBe('session_over');
});

test('a second device is added within a fresh check, and signs in', async () => {
  const browser = await newMember(account, 'viewer');
  time.nowMs += 5 * MINUTE;
  expect((await browser.post('/passkeys/options')).body.error).toBe('check_needed');
  expect((await browser.check()).status).toBe(200);
  const { options } = (await browser.post('/passkeys/options')).body;
  const phone = createAuthenticator(ORIGIN);
  const added = await browser.post('/passkeys/verify', { answer: phone.register(options), passkeyName: 'Phone' });
  expect(added.status).toBe(200);
  const other = newBrowser(phone);
  expect((await other.signIn()).status).toBe(200);
  expect((await other.get('/me')).body['person']).toMatchObject({ id: browser.personId });
  const { passkeys } = (await browser.get('/passkeys')).body as unknown as { passkeys: { name: string }[] };
  expect(passkeys.map(({ name }) => name)).toEqual(['Laptop', 'Phone']);
});

test('a lost device: its passkey is removed, its sessions end, and the last passkey stays', async () => {
  const browser = await newMember(account, 'viewer');
  const { options } = (await browser.post('/passkeys/options')).body;
  const lost = newBrowser();
  await browser.post('/passkeys/verify', { answer: lost.authenticator.register(options), passkeyName: 'Phone' });
  await lost.signIn();
  const credentialId = lost.authenticator.credentialId();
  expect((await browser.post('/passkeys/revoke', { credentialId })).status).toBe(200);
  expect((await lost.get('/me')).body.error).toBe('session_over');
  expect((await lost.signIn()).body.error).toBe('passkey_refused');
  expect((await browser.get('/me')).status).toBe(200);
  const own = browser.authenticator.credentialId();
  expect((await browser.post('/passkeys/revoke', { credentialId: own })).body.error).toBe('last_passkey');
  const stranger = await newMember(account, 'owner');
  expect((await stranger.post('/passkeys/revoke', { credentialId: own })).body.error).toBe('passkey_unknown');
  expect((await stranger.post('/passkeys/rename', { credentialId: own, name: 'Mine' })).body.error).toBe(
    'passkey_unknown',
  );
});

test('every session is listed, and ended one by one, all others, or everywhere', async () => {
  const browser = await newMember(account, 'viewer');
  const others = [
    newBrowser(browser.authenticator),
    newBrowser(browser.authenticator),
    newBrowser(browser.authenticator),
  ];
  for (const other of others) await other.signIn();
  const listed = (await browser.get('/sessions')).body['sessions'] as { id: string; current: boolean }[];
  expect(listed.map(({ current }) => current).filter(Boolean)).toHaveLength(1);
  expect(listed).toHaveLength(4);
  const sessionId = await sessionIdOf(others[0]!);
  const stranger = await newMember(account, 'owner');
  expect((await stranger.post('/sessions/end', { sessionId })).body.error).toBe('not_found');
  expect((await browser.post('/sessions/end', { sessionId })).body['ended']).toBe(1);
  expect((await others[0]!.get('/me')).status).toBe(401);
  expect((await browser.post('/sessions/end-others')).body['ended']).toBe(2);
  expect((await others[1]!.get('/me')).status).toBe(401);
  await others[1]!.signIn();
  expect((await browser.post('/sign-out-everywhere')).body['ended']).toBe(2);
  for (const each of [browser, ...others]) expect((await each.get('/me')).status).toBe(401);
  expect((await stranger.get('/me')).status).toBe(200);
});

test('a change is refused that does not come from the pages of the console', async () => {
  const browser = await newMember(account, 'viewer');
  const refusals = [
    await browser.post('/sign-out', {}, { origin: 'https://evil.example.com' }),
    await browser.post('/sign-out', {}, { origin: 'null' }),
    await browser.post('/sign-out', {}, { 'x-svc-console': '' }),
    await browser.post('/sign-out', {}, { origin: `${ORIGIN}.evil.example.com` }),
  ];
  expect(refusals.map(({ body }) => body.error)).toEqual(Array(4).fill('origin_refused'));
  const form = await browser.send('POST', '/sign-out', {
    raw: 'a=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(form.status).toBe(415);
  const crossSite = await browser.send('GET', '/me', { headers: { 'sec-fetch-site': 'cross-site' } });
  expect(crossSite.body.error).toBe('origin_refused');
  expect((await browser.get('/me')).status).toBe(200);
});

test('no answer is framed, sniffed or kept, and data runs nothing', async () => {
  const browser = await newMember(account, 'viewer');
  for (const { headers } of [await browser.get('/me'), await browser.get('/nowhere')]) {
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toContain('publickey-credentials-get=(self)');
    expect(headers.get('strict-transport-security')).toContain('max-age=');
    expect(headers.get('cache-control')).toBe('no-store');
  }
  const page = await fetch(`${url}/`);
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  expect(page.headers.get('content-security-policy')).toContain(
    "require-trusted-types-for 'script'; trusted-types 'none'",
  );
  expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
});

test('an address that tries too often waits, and another one does not', async () => {
  const browser = newBrowser();
  const statuses = new Set<number>();
  for (let tries = 0; tries < 40; tries += 1) statuses.add((await browser.post('/sign-in/options')).status);
  expect([...statuses]).toEqual([200, 429]);
  expect((await newBrowser().post('/sign-in/options')).status).toBe(200);
});

test('no log line and no row has a token of a session or an invitation', async () => {
  const token = await invite(account, 'viewer');
  const browser = newBrowser();
  await browser.accept(token);
  const session = browser.jar.cookie.split('=')[1] ?? '';
  const lines = logs.join('\n');
  for (const secret of [token, session]) expect(lines).not.toContain(secret);
  const { rows } = await pool.query<{ text: string }>(
    'select (select json_agg(s)::text from svc.console_sessions s) || (select json_agg(i)::text from svc.invitations i) as text',
  );
  for (const secret of [token, session]) expect(rows[0]?.text).not.toContain(secret);
});
