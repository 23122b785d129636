// A person's browser at the console: a context with an address of its own, and a virtual authenticator that holds passkeys.
import type { BrowserContext, CDPSession, Browser as Chromium, Page } from 'playwright-core';

type Credential = {
  readonly credentialId: string;
  readonly isResidentCredential: boolean;
  readonly rpId?: string;
  readonly privateKey: string;
  readonly userHandle?: string;
  readonly signCount: number;
};

/** A device with passkeys, plugged into one page. */
export type VirtualAuthenticator = {
  readonly credentials: () => Promise<readonly Credential[]>;
  /** Gives it a passkey of another device. */
  readonly put: (credential: Credential) => Promise<void>;
  readonly unplug: () => Promise<void>;
};

export type ConsoleBrowser = {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly authenticator: VirtualAuthenticator;
};

const INTERNAL = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

const sessions = new WeakMap<Page, CDPSession>();

/** Chromium answers passkey requests of the page with it, at once and without a dialog. */
export async function plugAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const known = sessions.get(page);
  const cdp = known ?? (await page.context().newCDPSession(page));
  if (known === undefined) await cdp.send('WebAuthn.enable');
  sessions.set(page, cdp);
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options: INTERNAL });
  return {
    credentials: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    put: async (credential) => void (await cdp.send('WebAuthn.addCredential', { authenticatorId, credential })),
    unplug: async () => void (await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })),
  };
}

let opened = 0;

/** `complaints` gets what the page reports: errors, and what its policy refused. */
export async function openConsoleBrowser(chromium: Chromium, complaints: string[]): Promise<ConsoleBrowser> {
  opened += 1;
  // Limits are by address. The console believes a proxy on this machine.
  const address = `10.1.${opened >> 8}.${opened & 255}`;
  const context = await chromium.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-US',
    extraHTTPHeaders: { 'x-forwarded-for': address },
  });
  const page = await context.newPage();
  page.on('pageerror', (problem) => complaints.push(String(problem)));
  page.on('console', (message) => {
    // A refused request is an answer that the page shows.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  return { context, page, authenticator: await plugAuthenticator(page) };
}

/** Opens the link of an invitation, makes a passkey with the page's authenticator, and waits until the page is signed in. */
export async function acceptInvitation(page: Page, link: string, deviceName = 'Laptop'): Promise<void> {
  await page.goto(link);
  await page.getByLabel('Name of this device').fill(deviceName);
  await page.getByRole('button', { name: 'Make a passkey' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

export async function signIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL((url) => url.pathname !== '/sign-in');
}

/** Answers the dialog that asks for the passkey, with the page's authenticator. */
export async function freshCheck(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByRole('button', { name: 'Use passkey' }).click();
  await dialog.waitFor({ state: 'detached' });
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.waitForURL(/\/sign-in/);
}
