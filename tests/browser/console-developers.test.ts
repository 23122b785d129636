// The pages of developers on the real stack: each action is clicked, its effect is seen outside of the console, and it is in the
// audit record under the person.
import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { openDirectPayout } from '../e2e/open-direct-payout.ts';
import { createIntent, payerOf, post, prepare, settle } from '../e2e/wallet.ts';
import { freshCheck } from './console-browser.ts';
import {
  ask,
  closeSheet,
  createKeyInPage,
  keptBy,
  opens,
  replayLastHour,
  rowOf,
  shownSecret,
  watchAnswers,
} from './console-steps.ts';
import { type ConsolePerson, consoleWorld } from './console-world.ts';
import { openReceiver } from './webhook-server.ts';

const world = await consoleWorld({ webhooks: true });
const { shop, chain, apiUrl } = world;
const [developer, owner, support, viewer] = (await Promise.all(
  (['developer', 'owner', 'support', 'viewer'] as const).map((role) => world.signUp({ role, name: `A ${role}` })),
)) as [ConsolePerson, ConsolePerson, ConsolePerson, ConsolePerson];

afterEach(() => expect(world.complaints.splice(0)).toEqual([]));

const at = (name: string, mode = 'test') => `${world.consoleUrl}/${mode}/${shop.accountId}/${name}`;
const lists = async (key: string) =>
  (await fetch(`${apiUrl}/sdk/payments`, { headers: { authorization: `Bearer ${key}` } })).status;
const SOON = { timeout: 10_000 };
const hintOf = (key: string) => `…${key.slice(-4)}`;

/** Actions of a person since the last call, oldest first. */
async function auditOf({ person }: ConsolePerson): Promise<readonly string[]> {
  const rows = await world.audit();
  return rows.flatMap(({ actor, action, accountId }) =>
    actor === `person:${person.id}` || (actor.startsWith('key:') && actor.endsWith(`/person:${person.id}`))
      ? [`${action}${accountId === shop.accountId ? '' : ' elsewhere'}`]
      : [],
  );
}

test('a key with scopes works within them, its text is shown once and kept nowhere, and its use is seen', async () => {
  const { page } = developer;
  await opens(page, 'API keys');
  await world.outdateCheck(developer.person.id);
  await createKeyInPage(page, ['read', 'create']);
  await freshCheck(page);
  const key = await shownSecret(page, 'New secret key');
  const later = watchAnswers(page);
  expect(await lists(key)).toBe(200);
  const forbidden = await post(`${apiUrl}/sdk/webhooks/endpoints`, key, { url: 'https://shop.example' });
  expect(forbidden.status).toBe(403);
  const row = rowOf(page, hintOf(key));
  expect(await row.innerText()).toMatch(/read, create[\s\S]*Never/);
  // Uses are written once a minute, and when the API ends.
  await world.api.kill('SIGTERM');
  await world.api.start({ SVC_API_PORT: String(world.api.port) });
  await page.reload();
  await expect.poll(() => row.innerText(), SOON).toMatch(/read, create[\s\S]*(?:now|second|ago)/);
  expect(await keptBy(page)).not.toContain(key);
  expect((await later()).filter((text) => text.includes(key))).toEqual([]);
  expect(await auditOf(developer)).toContain('key.created');
});

test('a rolled key works beside the new one until it is revoked, and then at once no more', async () => {
  const { page } = developer;
  await page.goto(at('keys'));
  await page.getByRole('button', { name: 'Roll signing key' }).click();
  await page.getByLabel('The old key stays valid for').selectOption({ label: 'An hour' });
  await page.getByRole('button', { name: 'Roll', exact: true }).click();
  const key = await shownSecret(page, 'New secret key');
  expect([await lists(shop.secretKey), await lists(key)]).toEqual([200, 200]);
  const old = rowOf(page, hintOf(shop.secretKey));
  await expect.poll(() => old.innerText(), SOON).toMatch(/Ends\s+in/);
  await old.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke now' }).click();
  await page.getByText('One key that no longer works').waitFor();
  await expect.poll(() => lists(shop.secretKey), SOON).toBe(401);
  expect(await lists(key)).toBe(200);
  await expect.poll(() => rowOf(page, hintOf(key)).innerText(), SOON).toContain('Signs webhooks');
  expect((await auditOf(developer)).filter((action) => action.startsWith('key.')).toSorted()).toEqual([
    'key.created',
    'key.created',
    'key.revoked',
    'key.rolled',
  ]);
});

test('the publishable key works from the origins that were set, and from no other page', async () => {
  const { page } = developer;
  const from = async (origin: string) =>
    (
      await fetch(`${apiUrl}/sdk/public/tokens`, {
        headers: { authorization: `Bearer ${shop.publishableKey}`, origin },
      })
    ).status;
  expect(await from('https://evil.example')).toBe(200);
  await page.goto(at('keys'));
  await page.getByLabel('Origins whose pages may use them').fill('https://shop.example');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled(), SOON).toBe(true);
  await expect.poll(() => from('https://evil.example'), SOON).toBe(403);
  expect(await from('https://shop.example')).toBe(200);
  expect(await auditOf(developer)).toContain('account.publishable_set');
});

test('an endpoint is made, fails, is seen why, and gets its events by resend, replay and a new secret', async () => {
  const { page } = developer;
  const receiver = await openReceiver();
  await opens(page, 'Webhooks');
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByLabel('Address').fill(receiver.url);
  await sheet.getByLabel('payment_intent.created').check();
  await sheet.getByLabel('Retries').fill('0');
  await sheet.getByRole('button', { name: 'Add', exact: true }).click();
  const secret = await shownSecret(page, 'Signing secret');
  const later = watchAnswers(page);
  await page.getByRole('link', { name: receiver.url }).click();
  const health = page.locator('section', { has: page.getByRole('heading', { name: 'Health' }) });
  await health.getByText('Healthy').waitFor();

  // Delivered, with request and answer.
  const first = await createIntent(world);
  const heard = await receiver.next();
  expect(heard.isSignedBy(secret)).toBe(true);
  await openEvent(page, heard.eventId);
  const delivery = page.locator('section', { has: page.getByRole('heading', { name: 'Delivery' }) });
  await delivery.locator('summary').first().click();
  const part = (name: string) => delivery.getByRole('region', { name, exact: true }).first().innerText();
  expect(await part('Request headers')).toContain(`webhook-id: ${heard.eventId}`);
  expect(JSON.parse(await part('Request body'))).toEqual(JSON.parse(heard.body));
  expect(await part('Answer headers')).toContain('x-shop: tea');
  expect(await part('Answer')).toBe('thank you');
  expect(JSON.parse(await page.getByRole('region', { name: 'Payload' }).innerText())).toMatchObject({
    id: heard.eventId,
    type: 'payment_intent.created',
    data: { object: { id: first.paymentIntentId } },
  });

  // It fails: health says so and why.
  receiver.answer(503, 'the shop is closed');
  await createIntent(world);
  const refused = await receiver.next();
  await page.goBack();
  await page.reload();
  await health.getByText(/Failing since/).waitFor();
  await health.getByText('Your server answered with another status than 2xx. It was 503.').waitFor();
  expect(await health.innerText()).toMatch(/Given up\s+1/);

  // Resent by hand.
  receiver.answer(200, 'thank you');
  await openEvent(page, refused.eventId);
  await delivery.getByText('Given up').waitFor();
  await page.getByRole('button', { name: 'Resend' }).click();
  expect(await receiver.next()).toMatchObject({ eventId: refused.eventId });
  await delivery.getByText('Delivered').first().waitFor();

  // Replayed by a range of time, with a new secret that ends the old one.
  receiver.answer(503, 'closed again');
  await createIntent(world);
  const missed = await receiver.next();
  receiver.answer(200, 'thank you');
  await page.goBack();
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByLabel('The old one also signs for').selectOption({ label: 'Not at all: it ends now' });
  await page.getByRole('button', { name: 'Rotate', exact: true }).click();
  const rotated = await shownSecret(page, 'New signing secret');
  await replayLastHour(page);
  const replayed = await receiver.next();
  expect(replayed.eventId).toBe(missed.eventId);
  expect([replayed.isSignedBy(rotated), replayed.isSignedBy(secret)]).toEqual([true, false]);
  await page.getByText('1 queued').waitFor();
  await closeSheet(page);

  // A sample, a change, off and on.
  await page.getByRole('button', { name: 'Send a sample' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const sample = await receiver.next();
  await page.getByText(`Sent as ${sample.eventId}`).waitFor();
  await closeSheet(page);
  await page.getByRole('button', { name: 'Change' }).click();
  await sheet.getByLabel('Timeout in seconds').fill('7');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await page.getByText('7 s', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Switch off' }).click();
  await page.getByText('Somebody of your account switched it off.').waitFor();
  const waiting = await createIntent(world);
  await page.getByRole('button', { name: 'Switch on' }).click();
  await page.getByText('For events that happened while it was off, replay the time.').waitFor();
  await replayLastHour(page);
  expect(JSON.parse((await receiver.next()).body)).toMatchObject({ data: { object: { id: waiting.paymentIntentId } } });
  await closeSheet(page);

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No endpoint yet').waitFor();
  const told = await later();
  expect(told.filter((text) => text.includes(secret))).toEqual([]);
  expect(told.filter((text) => text.includes(rotated))).toHaveLength(1);
  expect(await keptBy(page)).not.toMatch(/whsec_/);
  expect((await auditOf(developer)).filter((action) => /^(?:endpoint|event)\./.test(action))).toEqual([
    'endpoint.created',
    'event.resent',
    'endpoint.secret_rotated',
    'endpoint.recovered',
    'event.sampled',
    'endpoint.updated',
    'endpoint.disabled',
    'endpoint.enabled',
    'endpoint.recovered',
    'endpoint.deleted',
  ]);
});

test('a refused attempt is listed with its reason and leads to its payment, for those who only look too', async () => {
  const call = await prepare(world, payerOf((await chain.newKey()).account));
  expect(await settle(world, call)).toMatchObject({ error: 'insufficient_funds' });
  for (const { page } of [developer, viewer]) {
    await opens(page, 'Refused attempts');
    await page.getByRole('link', { name: 'The payer’s wallet did not hold enough of the token.' }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/payments/${call.paymentIntentId}`));
  }
});

test('an owner ends a direct payout after a passkey check, and nobody else can', async () => {
  const wallet = await openDirectPayout(world.database.pool, chain, shop.accountId);
  const { rows } = await world.database.pool.query<{ payout_id: string }>(
    "select payout_id from svc.payouts where account_id = $1 and kind = 'direct'",
    [shop.accountId],
  );
  const body = { network: chain.network, payoutId: rows[0]?.payout_id };
  for (const { page } of [developer, support, viewer]) {
    await opens(page, 'Payouts');
    await page.getByText('Straight to the wallet').waitFor();
    expect(await page.getByRole('button', { name: 'End' }).count()).toBe(0);
    expect(await ask(page, 'POST', `/admin/accounts/${shop.accountId}/payouts/disable`, body)).toMatchObject({
      status: 403,
      error: 'role_missing',
    });
  }
  const { page } = owner;
  await opens(page, 'Payouts');
  const item = page.getByRole('listitem').filter({ hasText: 'Straight to the wallet' });
  await item.waitFor();
  // The one in the registry of the processor ends there.
  expect(await page.getByRole('button', { name: 'End' }).count()).toBe(1);
  await item.getByRole('button', { name: 'End' }).click();
  expect((await page.getByRole('dialog').innerText()).toLowerCase()).toContain(wallet);
  await world.outdateCheck(owner.person.id);
  await page.getByRole('button', { name: 'End now' }).click();
  await freshCheck(page);
  await item.getByText('Ended').waitFor();
  const left = await world.database.pool.query(
    "select status from svc.payouts where account_id = $1 and kind = 'direct'",
    [shop.accountId],
  );
  expect(left.rows).toEqual([{ status: 'disabled' }]);
  expect(await auditOf(owner)).toContain('payout.disabled');
});

test.each(['support', 'viewer'] as const)(
  'somebody in the role %s finds no page of keys or webhooks, and their calls are refused',
  async (role) => {
    const { page, person } = role === 'support' ? support : viewer;
    await page.goto(at('payments'));
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    for (const name of ['API keys', 'Webhooks', 'Events', 'People', 'New payment link'])
      expect(await page.getByRole('link', { name, exact: true }).count()).toBe(0);
    const before = await world.audit();
    const account = `/admin/accounts/${shop.accountId}`;
    const relayed = `/accounts/${shop.accountId}/test/sdk`;
    const { rows: keys } = await world.database.pool.query<{ id: string }>(
      'select id from svc.api_keys where account_id = $1 and session_id is null',
      [shop.accountId],
    );
    const calls = [
      ['GET', `/admin/keys?accountId=${shop.accountId}&mode=test`],
      ['POST', `${account}/keys`, { mode: 'test', kind: 'secret' }],
      ['POST', `${account}/keys/roll`, { mode: 'test', overlapMs: 0 }],
      ['POST', `${account}/publishable`, { mode: 'test', creates: true }],
      ['POST', `/admin/keys/${keys[0]?.id}/revoke`, { now: true }],
      ['POST', `/admin/keys/${keys[0]?.id}/sign`, {}],
      ['GET', `${relayed}/webhooks/endpoints`],
      [
        'POST',
        `${relayed}/webhooks/endpoints`,
        { url: 'https://shop.example/hooks', eventTypes: ['payment.completed'] },
      ],
      ['GET', `${relayed}/events`],
      ['POST', `${relayed}/events/evt_1/resend`, {}],
      ['POST', `${relayed}/webhooks/endpoints/we_1/rotate-secret`, {}],
      ['POST', `${relayed}/webhooks/endpoints/we_1/recover`, {}],
      ['DELETE', `${relayed}/webhooks/endpoints/we_1`, {}],
    ] as const;
    for (const [method, path, body] of calls)
      expect([path, await ask(page, method, path, body)]).toMatchObject([path, { status: 403, error: 'role_missing' }]);
    expect(await lists(shop.secretKey)).toBe(401);
    expect(await world.audit()).toHaveLength(before.length);
    expect(
      (await auditOf(role === 'support' ? support : viewer)).filter((action) =>
        /^(?:key|endpoint|event)\./.test(action),
      ),
    ).toEqual([]);
    expect(person.id).toMatch(/^psn_/);
  },
);

test('test and live can’t be taken for each other, and an address of one never shows data of the other', async () => {
  const { page } = developer;
  const { paymentIntentId } = await createIntent(world, {
    usdAmount: '1.5',
    tokenShortcode: 'anvil_usdc',
    description: 'Only in test mode',
  });
  await page.goto(at(`payments/${paymentIntentId}`));
  await page.getByText('Only in test mode').first().waitFor();
  expect(await page.title()).toMatch(/^TEST · /);
  await page.getByText('play money, nothing here is real').waitFor();
  expect(await page.locator('#icon').getAttribute('href')).toBe('/test.svg');
  // Every link of the page stays in its mode, but for the one that switches.
  const links = await page
    .locator('a[href^="/live/"]')
    .evaluateAll((all) => all.map((one) => one.closest('nav')?.getAttribute('aria-label')));
  expect(links).toEqual(['Mode']);

  const { rows } = await world.database.pool.query<{ id: string }>(
    "select id from svc.events where account_id = $1 and mode = 'test' limit 1",
    [shop.accountId],
  );
  const told = watchAnswers(page);
  for (const [name, shown] of [
    [`payments/${paymentIntentId}`, /nothing of this id in this mode/],
    [`events/${rows[0]?.id}`, /nothing of this id in this mode/],
    ['payments', /No payments yet/],
    ['events', /No events/],
    ['attempts', /Nothing was refused/],
    ['keys', /No key yet/],
    ['payouts', /No payout yet/],
  ] as const) {
    await page.goto(at(name, 'live'));
    await page.getByText(shown).first().waitFor();
    expect(await page.title()).not.toContain('TEST');
    expect(await page.getByText('play money').count()).toBe(0);
    expect(await page.locator('#icon').getAttribute('href')).toBe('/live.svg');
  }
  expect((await told()).filter((text) => text.includes('Only in test mode'))).toEqual([]);

  // Back by the switch alone.
  await page.getByRole('navigation', { name: 'Mode' }).getByRole('link', { name: 'Test' }).click();
  await page.waitForURL((url) => url.pathname.startsWith(`/test/${shop.accountId}/`));
  await page.getByText('play money, nothing here is real').waitFor();
  expect((await page.goto(`${world.consoleUrl}/sandbox/${shop.accountId}/payments`))?.status()).toBe(200);
  await page.getByText('There is no such page').waitFor();
});

/** Its link shows a part of the id. */
async function openEvent(page: Page, eventId: string): Promise<void> {
  await page.locator(`a[title="${eventId}"]`).click();
  await page.getByRole('heading', { name: 'Payload' }).waitFor();
}
