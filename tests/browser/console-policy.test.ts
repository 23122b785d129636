// What the policy of the console's page keeps a script from that came in by a mistake of ours or of a library.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleDouble, startConsoleDouble } from './console-double.ts';
import { launchChromium } from './start-browser.ts';

let double: ConsoleDouble;
let chromium: Awaited<ReturnType<typeof launchChromium>>;
beforeAll(async () => {
  double = await startConsoleDouble();
  chromium = await launchChromium();
});
afterAll(async () => {
  await chromium.close();
  double.stop();
});

async function openPage() {
  const page = await chromium.browser.newPage();
  await page.goto(`${double.origin}/test/${double.accountId}/payments`);
  await page.locator('h1').first().waitFor();
  return page;
}

test('in the console’s page no text becomes markup, no script is made from text, and nobody makes a policy that allows it', async () => {
  const page = await openPage();
  const refused = await page.evaluate(() => {
    const tries: Readonly<Record<string, () => void>> = {
      markup: () => void (document.body.innerHTML = '<img src=x onerror=alert(1)>'),
      source: () => void (document.createElement('script').src = 'https://evil.example.com/a.js'),
      frame: () => void (document.createElement('iframe').srcdoc = '<script>alert(1)</script>'),
      policy: () =>
        (
          globalThis as unknown as { trustedTypes: { createPolicy: (name: string, rules: object) => void } }
        ).trustedTypes.createPolicy('mine', {}),
    };
    return Object.entries(tries).flatMap(([name, attempt]) => {
      try {
        attempt();
        return [];
      } catch {
        return [name];
      }
    });
  });
  expect(refused).toEqual(['markup', 'source', 'frame', 'policy']);
  await page.close();
});

test('the console’s page sends nothing to another origin, and is in no frame', async () => {
  const page = await openPage();
  const sent = await page.evaluate(async () => {
    const answered = (work: Promise<unknown>) =>
      work.then(
        () => true,
        () => false,
      );
    return [await answered(fetch('https://evil.example.com/')), await answered(fetch('/console/api/me'))];
  });
  expect(sent).toEqual([false, true]);
  const other = await chromium.browser.newPage();
  await other.setContent(`<iframe src="${double.origin}/"></iframe>`);
  await other.waitForTimeout(500);
  const framed = other.frames().find((frame) => frame !== other.mainFrame());
  expect(await framed?.locator('#page').count()).toBe(0);
  await other.close();
  await page.close();
});
