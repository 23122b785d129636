// A real Chromium, a page with buttons, and beneath them either the fake or the real service.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { bundlePage } from './bundle-page.ts';
import { chromiumPath } from './config.ts';
import { type FakeService, fakeService } from './fake-service.ts';
import { installWallets, type TestWallet, testWallet } from './test-wallet.ts';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export type PageOptions = {
  readonly wallets?: readonly TestWallet[];
  readonly service?: FakeService;
  /** Instead of the fake. */
  readonly apiUrl?: string;
  readonly publishableKey?: string;
  /** Attributes of each button; one with a price unless told. */
  readonly buttons?: readonly Readonly<Record<string, string>>[];
  readonly colorScheme?: 'light' | 'dark';
  readonly reducedMotion?: 'reduce' | 'no-preference';
  readonly width?: number;
  readonly height?: number;
  readonly scale?: number;
  readonly lang?: string;
  /** Time stands still until the test moves it. */
  readonly holdTime?: boolean;
};

type Heard = { readonly type: string; readonly detail: Record<string, unknown> };

export type ShopPage = {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly service: FakeService;
  readonly wallet: TestWallet;
  readonly button: Locator;
  readonly press: Locator;
  readonly panel: Locator;
  /** Waits until a button stands there. */
  readonly reaches: (state: string, index?: number) => Promise<void>;
  readonly states: () => Promise<string[]>;
  /** Events that the window heard, by the SDK's and the button's names. */
  readonly heard: () => Promise<Heard[]>;
  readonly openTab: () => Promise<Page>;
  readonly close: () => Promise<void>;
};

export type Browser = {
  readonly open: (options?: PageOptions) => Promise<ShopPage>;
  readonly stop: () => Promise<void>;
};

const HEARD = [
  'svc-pay-state',
  'svc-x402-upto-submitted',
  ...['created', 'updated', 'completed', 'failed', 'mismatched'].map((name) => `svc-sdk-transaction-${name}`),
];

export async function launchChromium() {
  const profile = mkdtempSync(path.join(tmpdir(), 'svc-chromium-'));
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: FLAGS, env: { HOME: profile } });
  const close = async () => {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { browser, close };
}

/** One browser and one server, with pages made by `open`. `source` is the script of every page. */
export async function startBrowser(source: string): Promise<Browser> {
  const services = new Map<string, FakeService>();
  const pages = new Map<string, string>();
  const script = await bundlePage(source);
  const server = createServer((request, response) => {
    const url = request.url ?? '/';
    const [, world = ''] = url.split('/');
    const service = services.get(world);
    if (url === '/page.js') response.setHeader('content-type', 'text/javascript').end(script);
    else if (service !== undefined && url.includes('/sdk/')) void service.handle(request, response);
    else response.setHeader('content-type', 'text/html; charset=utf-8').end(pages.get(world) ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { browser, close } = await launchChromium();

  return {
    async open(options = {}) {
      const { service = fakeService(), lang = 'en', buttons = [{ 'usd-amount': '12.50' }] } = options;
      const world = `w${pages.size + 1}`;
      const shared = {
        'api-url': options.apiUrl ?? `${origin}/${world}`,
        'publishable-key': options.publishableKey ?? 'pk_test_page',
      };
      services.set(world, service);
      pages.set(
        world,
        pageOf(
          buttons.map((attributes) => ({ ...shared, ...attributes })),
          lang,
        ),
      );
      const context = await browser.newContext({
        viewport: { width: options.width ?? 1280, height: options.height ?? 720 },
        deviceScaleFactor: options.scale ?? 1,
        colorScheme: options.colorScheme ?? 'light',
        reducedMotion: options.reducedMotion ?? 'no-preference',
        locale: 'en-US',
      });
      return openShop(context, `${origin}/${world}`, service, options);
    },
    async stop() {
      await close();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function openShop(
  context: BrowserContext,
  address: string,
  service: FakeService,
  { wallets = [testWallet('Harbor')], holdTime }: PageOptions,
): Promise<ShopPage> {
  await installWallets(context, wallets);
  const openTab = async () => {
    const tab = await context.newPage();
    if (holdTime === true) await tab.clock.install();
    await tab.goto(address);
    await tab.locator('svc-pay-button[state]').first().waitFor();
    return tab;
  };
  const page = await openTab();
  const button = page.locator('svc-pay-button').first();
  const heard = () => page.evaluate(() => (window as unknown as { heard: Heard[] }).heard);
  return {
    page,
    context,
    service,
    wallet: wallets[0] ?? testWallet('none'),
    button,
    press: button.locator('.press'),
    panel: button.locator('.panel'),
    reaches: (state, index = 0) =>
      page
        .locator('svc-pay-button')
        .nth(index)
        .and(page.locator(`[state="${state}"]`))
        .waitFor({ timeout: 10_000 }),
    states: async () =>
      (await heard()).filter(({ type }) => type === 'svc-pay-state').map(({ detail }) => String(detail['state'])),
    heard,
    openTab,
    close: () => context.close(),
  };
}

function pageOf(buttons: readonly Readonly<Record<string, string>>[], lang: string): string {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const tags = buttons.map((attributes) => {
    const told = Object.entries(attributes).map(([name, value]) => `${name}="${escaped(value)}"`);
    return `<svc-pay-button ${told.join(' ')}></svc-pay-button>`;
  });
  return `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>A shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>svc-pay-button { margin-bottom: 24px } body { margin: 24px; font-family: Inter, system-ui, sans-serif } @media (prefers-color-scheme: dark) { body { background: #101216; color: #f3f4f6 } }</style>
<script>window.heard = [];
for (const type of ${JSON.stringify(HEARD)}) addEventListener(type, (event) => window.heard.push({ type, detail: event.detail }));</script>
<script type="module" src="/page.js"></script></head><body><main><h1>Your basket</h1>${tags.join('\n')}</main></body></html>`;
}
