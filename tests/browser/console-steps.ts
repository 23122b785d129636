// Steps that a person takes in the pages of the console, and what a page keeps and is told.
import type { Locator, Page } from 'playwright-core';

/** Opens a page by its link at the side. */
export async function opens(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

/** The secret that is shown once; closes the sheet. */
export async function shownSecret(page: Page, title: string): Promise<string> {
  const sheet = page.getByRole('dialog', { name: title });
  const text = await sheet.locator('button[title]').getAttribute('title');
  await sheet.getByRole('button', { name: 'I have stored it' }).click();
  await sheet.waitFor({ state: 'detached' });
  if (text === null) throw new Error(`${title} is not shown`);
  return text;
}

/** Asks for a secret key that may do these things. */
export async function createKeyInPage(page: Page, scopes: readonly string[]): Promise<void> {
  await page.getByRole('button', { name: 'Create key' }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByLabel('Limit what it may do').check();
  for (const scope of scopes) await sheet.getByRole('checkbox', { name: scope }).check();
  await sheet.getByRole('button', { name: 'Create', exact: true }).click();
}

export const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });

/** Replays what an endpoint did not get in the last hour; the page of the endpoint is open. */
export async function replayLastHour(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  const local = (ms: number) =>
    page.evaluate(
      (time) => new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16),
      ms,
    );
  await page.getByLabel('From', { exact: true }).fill(await local(Date.now() - 3_600_000));
  await page.getByLabel('Before', { exact: true }).fill(await local(Date.now() + 120_000));
  await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
}

/** By the button at its foot. */
export const closeSheet = (page: Page): Promise<void> =>
  page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();

/** Everything that the page could have kept: storage, databases, caches, readable cookies and what it shows. */
export const keptBy = (page: Page): Promise<string> =>
  page.evaluate(async () =>
    JSON.stringify([
      Object.entries(localStorage),
      Object.entries(sessionStorage),
      await indexedDB.databases(),
      await caches.keys(),
      document.cookie,
      history.state,
      document.documentElement.outerHTML,
    ]),
  );

/** Texts of all answers that the page gets from now on. */
export function watchAnswers(page: Page): () => Promise<readonly string[]> {
  const texts: Promise<string>[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/console/api/')) texts.push(response.text().catch(() => ''));
  });
  return () => Promise.all(texts);
}

type Asked = { readonly status: number; readonly error?: string } & Readonly<Record<string, unknown>>;

/** Calls the console's server as the page does, without the page. */
export const ask = (page: Page, method: string, path: string, body?: object): Promise<Asked> =>
  page.evaluate(
    async (sent) => {
      const response = await fetch(`/console/api${sent.path}`, {
        method: sent.method,
        ...(sent.method !== 'GET' && {
          headers: { 'x-svc-console': '1', 'content-type': 'application/json' },
          body: JSON.stringify(sent.body ?? {}),
        }),
      });
      return { ...((await response.json()) as object), status: response.status };
    },
    { method, path, body },
  );
