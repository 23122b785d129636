// npm run shots:console                 pictures of every page of the console into docs/operate/images
// npm run shots:console -- keys people     only these
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { type ConsoleDouble, startConsoleDouble } from './console-double.ts';
import { intentIdAt, UPTO_INTENT } from './console-records.ts';
import { launchChromium } from './start-browser.ts';

type Look = 'light' | 'dark';
type Place = 'desk' | 'phone';
type Shot = {
  readonly name: string;
  readonly path: string;
  readonly act?: (page: Page) => Promise<void>;
  /** On a desk in light unless told. */
  readonly looks?: readonly (readonly [Place, Look])[];
};

const EVERY = [
  ['desk', 'light'],
  ['desk', 'dark'],
  ['phone', 'light'],
] as const;
const SIZES = { desk: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } } as const;
const press = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name, exact: true }).first().click();
  await page.locator('dialog[open]').waitFor();
};

const SHOTS: readonly Shot[] = [
  { name: 'sign-in', path: '/sign-in' },
  { name: 'invitation', path: '/invitation#token' },
  { name: 'overview', path: '/test/{account}/overview', looks: EVERY },
  { name: 'operator', path: '/operator' },
  { name: 'payments', path: '/test/{account}/payments', looks: EVERY },
  { name: 'payments-live', path: '/live/{account}/payments' },
  { name: 'asked-for', path: '/test/{account}/payments?list=intents' },
  { name: 'payment', path: `/test/{account}/payments/${intentIdAt(0)}`, looks: EVERY },
  { name: 'failed-payment', path: `/test/{account}/payments/${intentIdAt(5)}` },
  { name: 'mismatched-payment', path: `/test/{account}/payments/${intentIdAt(7)}` },
  { name: 'refund', path: `/test/{account}/payments/${intentIdAt(0)}`, act: press('Refund') },
  { name: 'charge', path: `/test/{account}/payments/${UPTO_INTENT}`, act: press('Charge') },
  { name: 'payment-link', path: '/test/{account}/new' },
  { name: 'other-amounts', path: '/test/{account}/other-amounts' },
  { name: 'keys', path: '/test/{account}/keys' },
  { name: 'endpoints', path: '/test/{account}/endpoints' },
  { name: 'endpoint', path: '/test/{account}/endpoints/we_1' },
  { name: 'events', path: '/test/{account}/events' },
  { name: 'event', path: '/test/{account}/events/evt_1' },
  { name: 'attempts', path: '/test/{account}/attempts' },
  { name: 'payouts', path: '/test/{account}/payouts' },
  { name: 'people', path: '/test/{account}/people' },
  { name: 'profile', path: '/profile' },
];

const wanted = process.argv.slice(2);
const pictures = path.resolve('docs/operate/images');
mkdirSync(pictures, { recursive: true });
const double = await startConsoleDouble();
const { browser, close } = await launchChromium();
try {
  for (const shot of SHOTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    for (const [place, look] of shot.looks ?? [['desk', 'light'] as const]) await take(double, shot, place, look);
    console.log(shot.name);
  }
} finally {
  await close();
  double.stop();
}

async function take({ origin, accountId }: ConsoleDouble, shot: Shot, place: Place, look: Look): Promise<void> {
  const context = await browser.newContext({
    viewport: SIZES[place],
    deviceScaleFactor: 1.25,
    colorScheme: look,
    reducedMotion: 'reduce',
    locale: 'en-US',
  });
  const page = await context.newPage();
  await page.goto(`${origin}${shot.path.replace('{account}', accountId)}`);
  await page.locator('h1').first().waitFor();
  await page.waitForLoadState('networkidle');
  await shot.act?.(page);
  await page.mouse.move(1, 1);
  const suffix = place === 'desk' && look === 'light' ? '' : `-${place === 'phone' ? 'phone' : 'dark'}`;
  await page.screenshot({ path: path.join(pictures, `console-${shot.name}${suffix}.png`) });
  await context.close();
}
