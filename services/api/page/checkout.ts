// Script of the checkout page. The server writes the page of every state; this script takes the secret out of the address
// bar, tells the button where the API is, and brings in the page anew when the intent stands otherwise.
const SECRET = 'client_secret';
const LONGEST_TIMER_MS = 2_147_483_647;
/** By what the page would say, the stages of the button whose own word comes first: a signature has left, or a wallet was asked to send, and may pay. */
const SAID_BY_BUTTON: Readonly<Record<string, ReadonlySet<string>>> = {
  settling: new Set(['pay', 'confirming', 'sending', 'settling', 'checking']),
  expired: new Set(['pay', 'confirming', 'sending', 'settling', 'checking', 'unknown']),
};
/** Stages at which the page of the intent has something else to say. */
const TOLD_BY_PAGE: ReadonlySet<string> = new Set(['paid', 'authorized', 'mismatched']);
/** Pauses between two looks at the intent: short while the payer is likely to act, then long. Over all pages of an account they count. */
const PAUSES = {
  open: { firstMs: 3_000, thenMs: 15_000, after: 40 },
  settling: { firstMs: 2_000, thenMs: 10_000, after: 30 },
  authorized: { firstMs: 15_000, thenMs: 15_000, after: 0 },
  // A payment on chain may still turn up.
  expired: { firstMs: 5_000, thenMs: 15_000, after: 6 },
} as const;
const LIMITED_PAUSE_MS = 30_000;

/** The page without its secret. Whole addresses only: a path that begins with two slashes would name another host. */
const bare = `${location.origin}${location.pathname}`;
const storageKey = `svc-pay:secret:${location.pathname}`;
const given = new URLSearchParams(location.search).get(SECRET);
const shownMain = (): HTMLElement | null => document.querySelector('main');
const stateOf = (main: HTMLElement | null): string => main?.dataset['state'] ?? '';

/** Storage may be forbidden. */
function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

if (stateOf(shownMain()) === 'missing') openAgain();
else if (given !== null) start(given);

/** A reload comes without the secret: this tab has kept it. A secret that opens nothing is forgotten. */
function openAgain(): void {
  const kept = given === null ? attempt(() => sessionStorage.getItem(storageKey)) : null;
  if (typeof kept === 'string') location.replace(wholeAddress(kept));
  else attempt(() => sessionStorage.removeItem(storageKey));
}

function wholeAddress(secret: string): string {
  return `${bare}?${SECRET}=${encodeURIComponent(secret)}`;
}

function start(secret: string): void {
  const address = wholeAddress(secret);
  const isKept = attempt(() => {
    sessionStorage.setItem(storageKey, secret);
    return sessionStorage.getItem(storageKey) !== null;
  });
  // Where nothing is kept, a reload needs the whole address.
  if (isKept === true) history.replaceState(history.state, '', bare);
  const main = shownMain();
  if (main === null) return;
  prepare(main, address);
  watchWallets();
  addEventListener('svc-pay-state', (event) => {
    const { state, code } = (event as CustomEvent<{ state: string; code: string | null }>).detail;
    if (TOLD_BY_PAGE.has(state) || code === 'intent_not_payable') void refresh(address);
    if (code === 'no_wallet' || code === 'no_usable_acceptance')
      document.documentElement.classList.remove('has-wallet');
  });
  void follow(secret);
}

/** What the server can't write: the API's address as this browser sees it, and the payer's own time. */
function prepare(main: HTMLElement, address: string): void {
  main.querySelector('svc-pay-button')?.setAttribute('api-url', new URL('..', bare).href);
  writeTimes(main);
  const here = main.querySelector<HTMLButtonElement>('.here');
  if (here !== null) {
    here.hidden = false;
    here.addEventListener('click', () => {
      document.documentElement.classList.add('pays-here');
      main.querySelector<HTMLElement>('svc-pay-button')?.focus();
    });
  }
  const copy = main.querySelector<HTMLButtonElement>('.copy');
  if (copy !== null && navigator.clipboard !== undefined) {
    copy.hidden = false;
    copy.addEventListener('click', () => {
      void navigator.clipboard.writeText(address).then(
        () => tell(copy, 'Copied'),
        () => tell(copy, 'Not copied'),
      );
    });
  }
  const expiresInMs = Number(main.dataset['expiresInMs']);
  if (stateOf(main) === 'open' && expiresInMs <= LONGEST_TIMER_MS)
    setTimeout(() => main.isConnected && void refresh(address), expiresInMs + 1_000);
}

function writeTimes(main: HTMLElement): void {
  for (const time of main.querySelectorAll('time')) {
    const format = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
    time.textContent = format.format(new Date(time.dateTime));
  }
}

function tell(copy: HTMLButtonElement, word: string): void {
  const before = copy.dataset['label'] ?? copy.textContent ?? '';
  copy.dataset['label'] = before;
  copy.textContent = word;
  announce(word);
  setTimeout(() => {
    copy.textContent = before;
  }, 2_000);
}

function announce(word: string): void {
  const news = document.querySelector('#news');
  if (news !== null) news.textContent = word;
}

/** In the browser of a wallet, the ways to a wallet are not needed. */
function watchWallets(): void {
  const found = () => document.documentElement.classList.add('has-wallet');
  if ('ethereum' in window) found();
  addEventListener('ethereum#initialized', found);
  addEventListener('eip6963:announceProvider', found);
  dispatchEvent(new Event('eip6963:requestProvider'));
  addEventListener('wallet-standard:register-wallet', found);
  const register = () => {
    found();
    return () => {};
  };
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }));
}

const REQUEST = { cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' } as const;

/** Looks at the intent while somebody looks at the page, until it has ended. */
async function follow(secret: string): Promise<void> {
  const address = wholeAddress(secret);
  let looks = 0;
  for (;;) {
    const state = stateOf(shownMain());
    const pause = PAUSES[state as keyof typeof PAUSES];
    if (pause === undefined) return;
    await wait(looks < pause.after ? pause.firstMs : pause.thenMs);
    looks += 1;
    const seen = await look(secret);
    if (seen === 'limited') await wait(LIMITED_PAUSE_MS);
    else if (seen !== undefined && isNews(seen)) {
      if (await refresh(address)) looks = 0;
    }
  }
}

/** A cap that was authorized elsewhere leaves the status as it is. */
function isNews({ status, isConfirmed }: Seen): boolean {
  const main = shownMain();
  return status !== main?.dataset['status'] || (isConfirmed && stateOf(main) === 'open');
}

/** A page that nobody sees asks nothing; one that is seen again asks at once. */
function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', end);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    document.addEventListener('visibilitychange', end);
  });
}

type Seen = { readonly status: string; readonly isConfirmed: boolean };
type Looked = { readonly paymentIntent?: { readonly status?: string; readonly metadata?: object } };
/** UPTO_CAP_METADATA_KEY of the protocol, written out: its import brings 18 kB of schemas into the page. */
const CAP = 'svc_x402_upto_max_amount_atomic';

/** How the intent stands; undefined if nobody answered. */
async function look(secret: string): Promise<Seen | 'limited' | undefined> {
  const intentId = bare.slice(bare.lastIndexOf('/') + 1);
  const url = new URL(`../sdk/public/payments/intents/${intentId}`, bare);
  const headers = { accept: 'application/json', authorization: `Bearer ${secret}` };
  const response = await fetch(url, { ...REQUEST, headers }).catch(() => undefined);
  if (response?.status === 429) return 'limited';
  if (response?.ok !== true) return undefined;
  const body = (await response.json().catch(() => undefined)) as Looked | undefined;
  const { status, metadata } = body?.paymentIntent ?? {};
  return status === undefined ? undefined : { status, isConfirmed: Object.hasOwn(metadata ?? {}, CAP) };
}

/** A page is what browsers ask for: HTML and XHTML. */
const PAGE = { accept: 'text/html,application/xhtml+xml' } as const;

/** A part of the amount arrived, and it can still be paid: the button stays as it is, whatever it is doing. */
function noteArrival(shown: HTMLElement, next: HTMLElement): void {
  shown.dataset['status'] = next.dataset['status'];
  for (const part of ['.summary', '.solana']) {
    const [before, after] = [shown.querySelector(part), next.querySelector(part)];
    if (before !== null && after !== null) before.replaceWith(after);
  }
  writeTimes(shown);
  const note = next.querySelector('.arrived');
  const before = shown.querySelector('.arrived');
  if (note === null) before?.remove();
  else if (before !== null) before.replaceWith(note);
  else shown.querySelector('#stands')?.after(note);
}

/** Brings in the page of the intent as it stands; false if it shows the same. */
async function refresh(address: string): Promise<boolean> {
  const response = await fetch(address, { ...REQUEST, headers: PAGE }).catch(() => undefined);
  if (response?.ok !== true) return false;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const [shown, next] = [shownMain(), page.querySelector('main')];
  if (shown === null || next === null) return false;
  if (stateOf(next) === stateOf(shown)) {
    noteArrival(shown, next);
    return false;
  }
  const stage = shown.querySelector('svc-pay-button')?.getAttribute('state') ?? '';
  if (SAID_BY_BUTTON[stateOf(next)]?.has(stage)) return false;
  const hadFocus = shown.contains(document.activeElement);
  document.adoptNode(next);
  prepare(next, address);
  shown.replaceWith(next);
  document.title = page.title;
  const heading = next.querySelector<HTMLElement>('#stands');
  announce(heading?.textContent ?? '');
  if (hadFocus) heading?.focus();
  return true;
}
