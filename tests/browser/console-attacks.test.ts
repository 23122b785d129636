// What other pages and other people's browsers try against somebody who is signed in to the console, on the whole service.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { acceptInvitation, freshCheck, signIn, signOut } from './console-browser.ts';
import { consoleWorld, whoIs } from './console-world.ts';

// Nothing is paid here: chain and settlement leave the machine to the browsers.
const world = await consoleWorld({ blockTimeSeconds: 2, settlement: { SVC_SETTLEMENT_POLL_MS: '2000' } });
vi.setConfig({ testTimeout: 240_000 });
const { consoleUrl } = world;

/** On another port of the same host, which for cookies is the same site: SameSite alone stops nothing here. */
const foreign = createServer((request, response) => {
  const framed = request.url === '/frame' ? `<iframe src="${consoleUrl}/"></iframe>` : '';
  response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Elsewhere</title>${framed}`);
});
await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
const foreignPort = (foreign.address() as AddressInfo).port;
afterAll(() => foreign.close());

afterEach(async () => {
  await world.closeBrowsers();
  expect(world.complaints.splice(0)).toEqual([]);
});

const api = (path: string) => `${consoleUrl}/console/api${path}`;
/** As a script of the console's own page would send it. */
const postFromPage = (page: Page, path: string, body: string) =>
  page.evaluate(
    async ([url, text]) => {
      const headers = { 'content-type': 'application/json', 'x-svc-console': '1' };
      const answer = await fetch(url ?? '', { method: 'POST', headers, body: text ?? '' });
      return { status: answer.status, error: ((await answer.json()) as { error?: string }).error };
    },
    [api(path), body],
  );
const auditLength = async () => (await world.audit()).length;
/** Entries of what anybody did. The page that was opened last may still ask for the key of its session. */
const doneSoFar = async () => (await world.audit()).filter(({ action }) => action !== 'session_key.created');

test('the cookie is for this host, no script and no other site', async () => {
  const { page, context } = await world.signUp({ role: 'viewer' });
  const cookies = await context.cookies();
  // A domain without a dot before it: no other host of it gets the cookie.
  expect(cookies).toMatchObject([
    { name: 'svc_console', domain: 'localhost', path: '/', httpOnly: true, sameSite: 'Strict' },
  ]);
  expect(await page.evaluate(() => document.cookie)).toBe('');
});

test('a session that somebody else planted in the browser is not the one of the person who signs in there', async () => {
  const attacker = await world.signUp({ role: 'viewer', name: 'Mallory' });
  const [planted] = await attacker.context.cookies();
  const victim = await world.openBrowser();
  await victim.context.addCookies([planted!]);
  const link = await world.invite({ role: 'owner', name: 'Grace Hopper' });
  await acceptInvitation(victim.page, link);
  const [own] = await victim.context.cookies();
  expect(own?.value).not.toBe(planted?.value);
  expect((await whoIs(victim.page)).person.name).toBe('Grace Hopper');
  // The planted session ended when the browser left it: the attacker does not see through the victim's eyes.
  await attacker.page.reload();
  await attacker.page.waitForURL(/\/sign-in/);

  // The same with signing in.
  await signOut(victim.page);
  await attacker.page.goto(`${consoleUrl}/sign-in`);
  await signIn(attacker.page);
  const [again] = await attacker.context.cookies();
  await victim.context.addCookies([again!]);
  await victim.page.goto(`${consoleUrl}/sign-in`);
  await signIn(victim.page);
  expect((await whoIs(victim.page)).person.name).toBe('Grace Hopper');
  expect((await victim.context.cookies())[0]?.value).not.toBe(again?.value);
});

test.each(['localhost', '127.0.0.1'])(
  'a page of another origin, at %s, changes nothing and reads nothing',
  async (host) => {
    const { page, context, person } = await world.signUp({ role: 'owner' });
    const before = await doneSoFar();
    const refusals: number[] = [];
    const elsewhere = await context.newPage();
    elsewhere.on('response', (response) => {
      if (response.url().startsWith(consoleUrl)) refusals.push(response.status());
    });
    const open = () => elsewhere.goto(`http://${host}:${foreignPort}/`);
    await open();
    for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const posted = elsewhere.waitForResponse(api('/sign-out-everywhere'));
      await elsewhere.evaluate(
        ([action, type]) => {
          const form = Object.assign(document.createElement('form'), { method: 'post', action, enctype: type });
          // As text it is JSON.
          form.append(Object.assign(document.createElement('input'), { name: '{"a":"', value: '"}' }));
          document.body.append(form);
          form.submit();
        },
        [api('/sign-out-everywhere'), enctype],
      );
      expect((await posted).status()).toBe(403);
      await elsewhere.waitForURL(api('/sign-out-everywhere'));
      await open();
    }
    const told = await elsewhere.evaluate(async (url) => {
      const outcomes: string[] = [];
      for (const init of [
        { mode: 'no-cors', headers: { 'content-type': 'text/plain' } },
        { mode: 'cors', headers: { 'content-type': 'text/plain' } },
        { mode: 'cors', headers: { 'content-type': 'application/json', 'x-svc-console': '1' } },
      ] as const) {
        const asked = fetch(`${url}/sign-out-everywhere`, {
          ...init,
          method: 'POST',
          credentials: 'include',
          body: '{}',
        });
        outcomes.push(
          await asked.then(
            (answer) => `${answer.type} ${answer.status}`,
            () => 'refused',
          ),
        );
      }
      for (const mode of ['no-cors', 'cors'] as const) {
        const asked = fetch(`${url}/me`, { mode, credentials: 'include' });
        outcomes.push(
          await asked.then(
            (answer) => `${answer.type} ${answer.status}`,
            () => 'refused',
          ),
        );
      }
      return outcomes;
    }, api(''));
    // What a script sees is nothing, and whatever the console was asked it refused.
    for (const outcome of told) expect(['refused', 'opaque 0']).toContain(outcome);
    expect(refusals.length).toBeGreaterThanOrEqual(3);
    expect(refusals.filter((status) => status < 400)).toEqual([]);
    expect(await doneSoFar()).toEqual(before);
    expect((await whoIs(page)).person.id).toBe(person.id);
  },
);

test('a page of the console is shown in no frame', async () => {
  const { context } = await world.signUp({ role: 'viewer' });
  const elsewhere = await context.newPage();
  const said: string[] = [];
  elsewhere.on('console', (message) => said.push(message.text()));
  await elsewhere.goto(`http://localhost:${foreignPort}/frame`);
  const frame = elsewhere.frames().find((one) => one !== elsewhere.mainFrame());
  expect(frame?.url()).toBe('chrome-error://chromewebdata/');
  expect(said.join('\n')).toMatch(/frame-ancestors 'none'/);
});

test('an answer of a passkey counts once, and for nothing but what it was asked for', async () => {
  const { page, context, person } = await world.signUp({ role: 'owner' });
  const bodies: string[] = [];
  page.on('request', (request) => {
    if (request.url() === api('/sign-in/verify')) bodies.push(request.postData() ?? '');
  });
  await signOut(page);
  await signIn(page);
  const before = await auditLength();
  const refused = { status: 401, error: 'passkey_refused' };
  expect(await postFromPage(page, '/check/verify', bodies[0] ?? '')).toEqual(refused);
  await signOut(page);
  expect(bodies).toHaveLength(1);
  expect(await postFromPage(page, '/sign-in/verify', bodies[0] ?? '')).toEqual(refused);
  expect(await context.cookies()).toEqual([]);

  // Answers that the console has never seen: the browser made them, and a thief of the page kept them.
  const kept = new Map<string, string>();
  const keep = (path: string) =>
    page.route(api(path), async (route) => {
      kept.set(path, route.request().postData() ?? '');
      await route.abort();
    });
  await keep('/sign-in/verify');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('alert').waitFor();
  await page.unroute(api('/sign-in/verify'));
  await signIn(page);
  await world.outdateCheck(person.id);
  const stolen = kept.get('/sign-in/verify') ?? '';
  expect(stolen).not.toBe('');
  expect(await postFromPage(page, '/check/verify', stolen)).toEqual(refused);
  await keep('/check/verify');
  await page.goto(`${consoleUrl}/test/${world.shop.accountId}/people`);
  await page.getByRole('button', { name: 'Lost device of' }).first().click();
  await page.getByRole('button', { name: 'Make the link' }).click();
  const check = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await check.getByRole('button', { name: 'Use passkey' }).click();
  await check.getByRole('alert').waitFor();
  const checked = kept.get('/check/verify') ?? '';
  expect(checked).not.toBe('');
  expect(await postFromPage(page, '/sign-in/verify', checked)).toEqual(refused);
  // None of it was a check.
  const made = (await world.audit()).slice(before).map(({ action }) => action);
  expect(made.filter((action) => action === 'recovery.created')).toEqual([]);
  await page.unroute(api('/check/verify'));
  await freshCheck(page);
  await page.getByRole('dialog', { name: 'Recovery link' }).waitFor();
});
