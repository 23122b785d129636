// EIP-6963: wallets announce themselves when they are asked to, and all at once.
import type { DiscoverOptions } from '../discover-options.ts';
import { systemPorts } from '../ports.ts';
import { type Eip1193Provider, isProvider } from './eip1193.ts';

export type AnnouncedWallet = {
  /** New at every page load. */
  readonly uuid: string;
  readonly name: string;
  /** A data address of an image. */
  readonly icon: string;
  /** The wallet's own name in reverse domain form: the same at every load. */
  readonly rdns: string;
  readonly provider: Eip1193Provider;
};

/** The wallets of this page, each once, in the order they spoke up. Empty where there is no page. */
export async function discoverWallets(options: DiscoverOptions = {}): Promise<readonly AnnouncedWallet[]> {
  const { waitMs = 200, ports = systemPorts, signal = new AbortController().signal } = options;
  const { window: page } = globalThis as { readonly window?: EventTarget };
  if (page === undefined || typeof page.addEventListener !== 'function') return [];
  const found = new Map<string, AnnouncedWallet>();
  const hear = (event: Event) => {
    const wallet = readAnnouncement((event as CustomEvent<unknown>).detail);
    if (wallet !== undefined && !found.has(wallet.uuid)) found.set(wallet.uuid, wallet);
  };
  page.addEventListener('eip6963:announceProvider', hear);
  page.dispatchEvent(new Event('eip6963:requestProvider'));
  await ports.sleep(waitMs, signal);
  page.removeEventListener('eip6963:announceProvider', hear);
  return [...found.values()];
}

/** What wallets put into `window.ethereum` since before they announced themselves. */
export function injectedProvider(): Eip1193Provider | undefined {
  const { ethereum, window: page } = globalThis as { readonly ethereum?: unknown; readonly window?: unknown };
  const injected = ethereum ?? (page as { readonly ethereum?: unknown } | undefined)?.ethereum;
  return isProvider(injected) ? injected : undefined;
}

function readAnnouncement(detail: unknown): AnnouncedWallet | undefined {
  const { info, provider } = (detail ?? {}) as {
    readonly info?: Partial<AnnouncedWallet>;
    readonly provider?: unknown;
  };
  if (!isProvider(provider) || typeof info?.uuid !== 'string') return undefined;
  const { uuid, name = '', icon = '', rdns = '' } = info;
  return { uuid, name, icon, rdns, provider };
}
