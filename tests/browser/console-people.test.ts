import { afterEach, expect, test } from 'vitest';
import { consoleWorld } from './console-world.ts';

const world = await consoleWorld();

afterEach(() => expect(world.complaints.splice(0)).toEqual([]));

test('somebody who opens the link of an invitation and makes a passkey is signed in and sees the payments', async () => {
  const { page, person, accountId, authenticator } = await world.signUp({ role: 'owner', name: 'Grace Hopper' });
  expect(new URL(page.url()).pathname).toBe(`/test/${accountId}/payments`);
  await page.getByRole('heading', { name: 'Payments' }).waitFor();
  await page.getByText('No payments yet').waitFor();
  expect(await authenticator.credentials()).toHaveLength(1);
  const audit = await world.audit();
  expect(audit.filter(({ actor }) => actor === `person:${person.id}`).length).toBeGreaterThan(0);
});
