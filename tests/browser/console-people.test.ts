// People of the console in Chromium, on the whole service: invitations, passkeys, devices, sessions, roles and accounts.
import type { Page } from 'playwright-core';
import { afterEach, expect, test, vi } from 'vitest';
import { acceptInvitation, freshCheck, plugAuthenticator, signIn } from './console-browser.ts';
import { type ConsolePerson, consoleWorld, whoIs } from './console-world.ts';

// Nothing is paid here: chain and settlement leave the machine to the browsers.
const world = await consoleWorld({ blockTimeSeconds: 2, settlement: { SVC_SETTLEMENT_POLL_MS: '2000' } });
vi.setConfig({ testTimeout: 120_000 });
const { accountId: shopId } = world.shop;

afterEach(async () => {
  await world.closeBrowsers();
  expect(world.complaints.splice(0)).toEqual([]);
});

const INVALID_LINK = 'This link was used, was withdrawn, or is too old; ask for another one.';
const ROLES = ['owner', 'developer', 'support', 'viewer'] as const;

const goTo = async (page: Page, path: string) => {
  await page.goto(`${world.consoleUrl}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
};
const nav = (page: Page) => page.getByRole('navigation', { name: 'Pages' });
/** Those that not every role has. */
const LIMITED = ['New payment link', 'API keys', 'Webhooks', 'Events', 'People'];
const pagesOf = async (page: Page) =>
  (await nav(page).getByRole('link').allInnerTexts())
    .map((text) => text.trim())
    .filter((name) => LIMITED.includes(name));
/** The link that a dialog shows once. */
async function takeLink(page: Page, title: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name: title });
  const stored = dialog.getByRole('button', { name: 'I have stored it' });
  await stored.waitFor();
  const link = /http:\/\/\S+#[\w-]{43}/.exec(await dialog.innerText())?.[0] ?? '';
  await stored.click();
  await dialog.waitFor({ state: 'detached' });
  return link;
}
async function inviteInPage(page: Page, name: string, role: (typeof ROLES)[number]): Promise<string> {
  await page.getByRole('button', { name: 'Invite' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite somebody' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Role').selectOption(role);
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  return takeLink(page, 'Invitation link');
}
async function changeRole(page: Page, name: string, role: (typeof ROLES)[number]): Promise<void> {
  await page.getByRole('button', { name: `Role of ${name}` }).click();
  const dialog = page.getByRole('dialog', { name: `Role of ${name}` });
  await dialog.getByLabel('Role').selectOption(role);
  await dialog.getByRole('button', { name: 'Change' }).click();
}
async function remove(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Remove ${name}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
}
/** Actions on record under a person, oldest first. */
async function actionsOf({ person }: ConsolePerson): Promise<readonly string[]> {
  const entries = await world.audit();
  return entries.filter(({ actor }) => actor === `person:${person.id}`).map(({ action }) => action);
}
const shownProblem = (page: Page) => page.getByRole('alert').first().innerText();
async function isRefusedAtSignIn(page: Page): Promise<boolean> {
  await page.goto(`${world.consoleUrl}/sign-in`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  return (await shownProblem(page)).includes('passkey was not accepted');
}

test('somebody who opens the link of an invitation and makes a passkey is signed in; the link works once and for three days', async () => {
  const grace = await world.signUp({ role: 'owner', name: 'Grace Hopper' });
  const { page, authenticator } = grace;
  expect(new URL(page.url()).pathname).toBe(`/test/${shopId}/overview`);
  await page.getByText('No payments yet').waitFor();
  expect(await authenticator.credentials()).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }]);
  expect([...(await actionsOf(grace))].sort()).toEqual(['person.joined', 'session.begun', 'session_key.created']);

  await goTo(page, `/test/${shopId}/people`);
  const link = await inviteInPage(page, 'Alan Kay', 'viewer');
  const [alan, thief] = [await world.openBrowser(), await world.openBrowser()];
  await acceptInvitation(alan.page, link);
  await thief.page.goto(link);
  expect(await shownProblem(thief.page)).toContain(INVALID_LINK);
  // The secret is not in the address, where a picture of the screen or the history would keep it.
  expect(thief.page.url()).not.toContain('#');

  const old = await inviteInPage(page, 'Ada Lovelace', 'viewer');
  await world.database.pool.query("update svc.invitations set expires_at = now() where name = 'Ada Lovelace'");
  await thief.page.goto('about:blank');
  await thief.page.goto(old);
  expect(await shownProblem(thief.page)).toContain(INVALID_LINK);
  await thief.page.getByRole('button', { name: 'Make a passkey' }).waitFor({ state: 'detached' });
});

test('a second device signs in, is renamed, and replaces the first one, whose passkey and session are over', async () => {
  const grace = await world.signUp();
  const { page, authenticator: laptop } = grace;
  const [laptopKey] = await laptop.credentials();
  await laptop.unplug();
  const phone = await plugAuthenticator(page);
  await world.outdateCheck(grace.person.id);
  await goTo(page, '/profile');
  await page.getByText('This is your only passkey').waitFor();
  expect(await page.getByRole('button', { name: 'Remove Laptop' }).count()).toBe(0);

  // The check needs a passkey that the person has: the new device has none.
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('dialog', { name: 'Add a passkey' }).getByLabel('Name').fill('Phone');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const check = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await check.getByRole('button', { name: 'Use passkey' }).click();
  await check.getByRole('alert').waitFor();
  await phone.unplug();
  const back = await plugAuthenticator(page);
  await back.put(laptopKey!);
  const answered = page.waitForResponse(/\/passkeys\/options/);
  const held = Promise.withResolvers<void>();
  await page.route('**/passkeys/options', async (route) => {
    await held.promise;
    await route.continue();
  });
  await freshCheck(page);
  // Between the check and the new passkey the person takes the other device.
  await back.unplug();
  const second = await plugAuthenticator(page);
  held.resolve();
  await answered;
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('Phone', { exact: true }).waitFor();
  const [phoneKey] = await second.credentials();

  await page.getByRole('button', { name: 'Rename Phone' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Pocket phone');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByText('Pocket phone', { exact: true }).waitFor();

  const pocket = await world.openBrowser();
  await pocket.authenticator.put(phoneKey!);
  await pocket.page.goto(world.consoleUrl);
  await signIn(pocket.page);
  expect((await whoIs(pocket.page)).person.id).toBe(grace.person.id);
  await goTo(pocket.page, '/profile');
  await pocket.page.getByRole('button', { name: 'Remove Laptop' }).click();
  await pocket.page.getByText('This is your only passkey').waitFor();
  // The session of the lost device ends with its passkey.
  await nav(page)
    .or(page.getByRole('link', { name: 'Grace Hopper' }))
    .first()
    .click();
  await page.reload();
  await page.waitForURL(/\/sign-in/);
  const stolen = await world.openBrowser();
  await stolen.authenticator.put({ ...laptopKey!, signCount: 50 });
  expect(await isRefusedAtSignIn(stolen.page)).toBe(true);
  expect(await actionsOf(grace)).toEqual(
    expect.arrayContaining(['passkey.added', 'passkey.renamed', 'passkey.revoked']),
  );
});

test.each(['an owner in the page', 'the operator by command'])(
  'a person who lost every device gets a link from %s; what the person had before is over',
  async (who) => {
    const account = await world.openAccount();
    const { accountId } = account;
    const owner = await world.signUp({ accountId, role: 'owner', name: 'An Owner' });
    const lost = await world.signUp({ accountId, role: 'support', name: 'Lost Person' });
    const [formerKey] = await lost.authenticator.credentials();
    await goTo(owner.page, `/test/${accountId}/people`);
    let link = '';
    if (who === 'an owner in the page') {
      await world.outdateCheck(owner.person.id);
      await owner.page.getByRole('button', { name: 'Lost device of Lost Person' }).click();
      await owner.page.getByRole('button', { name: 'Make the link' }).click();
      await freshCheck(owner.page);
      link = await takeLink(owner.page, 'Recovery link');
      expect(await actionsOf(owner)).toContain('recovery.created');
    } else link = String((await world.command('people', 'recover', lost.person.id))['link']);
    // Nothing is over until the link is used.
    await lost.page.reload();
    await nav(lost.page).waitFor();
    const found = await world.openBrowser();
    await acceptInvitation(found.page, link, 'New laptop');
    expect((await whoIs(found.page)).person.id).toBe(lost.person.id);
    await lost.page.getByRole('link', { name: 'Live' }).click();
    await lost.page.waitForURL(/\/sign-in/);
    const stolen = await world.openBrowser();
    await stolen.authenticator.put({ ...formerKey!, signCount: 50 });
    expect(await isRefusedAtSignIn(stolen.page)).toBe(true);
    expect(await actionsOf(lost)).toContain('person.recovered');
  },
);

test('a person sees each session and ends another one, all others, or every one, and the next click there leads to signing in', async () => {
  const grace = await world.signUp();
  const [key] = await grace.authenticator.credentials();
  const { page } = grace;
  // One device, two browsers: the second counts on from where the first is.
  const other = await world.openBrowser();
  await other.authenticator.put({ ...key!, signCount: 20 });
  const enterOther = async () => {
    await other.page.goto(`${world.consoleUrl}/sign-in`);
    await signIn(other.page);
    await nav(other.page).waitFor();
  };
  const showsOther = async () => {
    await goTo(page, '/profile');
    await page.getByRole('button', { name: 'Sign out', exact: true }).nth(1).waitFor();
  };
  const otherIsOver = async () => {
    // The list is read anew when the session has ended; until then a click there still has its session.
    await page
      .getByRole('listitem')
      .getByRole('button', { name: 'Sign out', exact: true })
      .waitFor({ state: 'detached' });
    await nav(other.page).getByRole('link', { name: 'People' }).click();
    await other.page.waitForURL(/\/sign-in\?next=/);
  };
  await enterOther();
  await showsOther();
  await page.getByText('This one', { exact: true }).waitFor();
  await page.getByRole('listitem').getByRole('button', { name: 'Sign out', exact: true }).click();
  await otherIsOver();
  await enterOther();
  await showsOther();
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await otherIsOver();
  await enterOther();
  // A change finds out as well, not a page alone.
  await goTo(other.page, `/test/${shopId}/people`);
  await other.page.getByRole('button', { name: 'Invite' }).click();
  await other.page.getByRole('dialog').getByLabel('Name').fill('Nobody');
  await showsOther();
  await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click();
  await page.waitForURL(/\/sign-in$/);
  await other.page.getByRole('button', { name: 'Make the link' }).click();
  await other.page.waitForURL(/\/sign-in\?next=/);
  const { rows } = await world.database.pool.query(
    'select count(*)::integer as alive from svc.console_sessions where person_id = $1 and ended_at is null',
    [grace.person.id],
  );
  expect(rows).toEqual([{ alive: 0 }]);
  expect((await actionsOf(grace)).filter((action) => action === 'session.ended')).toHaveLength(4);
});

test('an owner invites each role, and everybody has the pages of their role', async () => {
  const { accountId } = await world.openAccount();
  const owner = await world.signUp({ accountId });
  await goTo(owner.page, `/test/${accountId}/people`);
  const pages = new Map<string, readonly string[]>();
  for (const role of ROLES) {
    const link = await inviteInPage(owner.page, `A ${role}`, role);
    const { page, context } = await world.openBrowser();
    await acceptInvitation(page, link);
    pages.set(role, await pagesOf(page));
    await context.close();
  }
  const developer = LIMITED.filter((name) => name !== 'People');
  expect(Object.fromEntries(pages)).toEqual({ owner: LIMITED, developer, support: [], viewer: [] });
  const made = (await world.audit()).filter(
    (entry) => entry.accountId === accountId && entry.action === 'person.joined',
  );
  expect(made).toHaveLength(5);
  expect((await actionsOf(owner)).filter((action) => action === 'invitation.created')).toHaveLength(4);
});

test('a role that an owner changes counts at once in the session that the person has, up and down; a person who is removed has nothing', async () => {
  const { accountId } = await world.openAccount();
  const owner = await world.signUp({ accountId, name: 'An Owner' });
  const member = await world.signUp({ accountId, role: 'viewer', name: 'A Member' });
  const { session } = await whoIs(member.page);
  await goTo(owner.page, `/test/${accountId}/people`);
  await changeRole(owner.page, 'A Member', 'developer');
  await owner.page.getByRole('dialog').waitFor({ state: 'detached' });
  await goTo(member.page, `/test/${accountId}/endpoints`);
  expect(await pagesOf(member.page)).toContain('API keys');
  await member.page
    .getByText('No endpoints yet')
    .or(member.page.getByRole('button', { name: /endpoint/i }))
    .first()
    .waitFor();
  expect(await member.page.getByRole('alert').count()).toBe(0);
  expect((await whoIs(member.page)).session.id).toBe(session.id);

  await changeRole(owner.page, 'A Member', 'support');
  await owner.page.getByRole('dialog').waitFor({ state: 'detached' });
  // The page of the developer is still open. What it asks for is refused, and it learns the role.
  await nav(member.page).getByRole('link', { name: 'Events' }).click();
  await nav(member.page).getByRole('link', { name: 'Events' }).waitFor({ state: 'detached' });
  await nav(member.page).getByRole('link', { name: 'Payments' }).click();
  await member.page.getByText('No payments yet').waitFor();
  expect((await whoIs(member.page)).session.id).toBe(session.id);

  await remove(owner.page, 'A Member');
  await owner.page.getByText('A Member', { exact: true }).waitFor({ state: 'detached' });
  await member.page.goto(world.consoleUrl);
  await member.page.getByText('You are not a member of an account').waitFor();

  await remove(owner.page, 'An Owner');
  expect(await shownProblem(owner.page)).toContain('The account would have no owner');
  await owner.page.getByRole('button', { name: 'Go back' }).click();
  await changeRole(owner.page, 'An Owner', 'viewer');
  expect(await shownProblem(owner.page)).toContain('The account would have no owner');
  const changes = (await actionsOf(owner)).filter((action) => /^person\.(?:role|removed)/.test(action));
  expect(changes).toEqual(['person.role_changed', 'person.role_changed', 'person.removed']);
});

test('a person who is signed in joins a second account with one click, and switches between them', async () => {
  const second = await world.openAccount();
  await world.database.pool.query("update svc.accounts set name = 'Second shop' where id = $1", [second.accountId]);
  const grace = await world.signUp({ role: 'viewer' });
  const { page } = grace;
  await page.goto(await world.invite({ accountId: second.accountId, role: 'owner' }));
  await page.getByRole('button', { name: 'Join as Grace Hopper' }).click();
  await nav(page).waitFor();
  const switchTo = async (name: string) => {
    await page.getByRole('button', { name: 'Switch account' }).click();
    await page.getByRole('link', { name: new RegExp(name) }).click();
  };
  await switchTo('Second shop');
  await page.waitForURL(`${world.consoleUrl}/test/${second.accountId}/overview`);
  expect(await pagesOf(page)).toContain('People');
  await switchTo('A shop');
  await page.waitForURL(`${world.consoleUrl}/test/${shopId}/overview`);
  expect(await pagesOf(page)).toEqual([]);
  const joined = (await world.audit()).filter(
    ({ actor, action }) => actor === `person:${grace.person.id}` && action === 'person.joined',
  );
  expect(joined.map((entry) => entry.accountId)).toEqual([shopId, second.accountId]);
});
