// The frame of every page: the band of test mode, the side with account, mode and pages, and the page itself.
import { useLocation, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { SignedInPerson } from '../api/people.ts';
import { Icon } from '../ui/icon.tsx';
import { usualPlace } from './last-place.ts';
import { Side } from './side.tsx';

const TITLES: Readonly<Record<string, string>> = {
  overview: 'Overview',
  payments: 'Payments',
  new: 'New payment link',
  'other-amounts': 'Other amounts',
  keys: 'API keys',
  endpoints: 'Webhooks',
  events: 'Events',
  attempts: 'Refused attempts',
  payouts: 'Payouts',
  people: 'People',
  profile: 'Your devices',
  operator: 'Operator',
};

/** Tab title and icon say the mode too: most pages are seen as tabs most of the time. */
function useTabOf(mode: string | undefined, pathname: string): void {
  useEffect(() => {
    const name = TITLES[pathname.split('/')[mode === undefined ? 1 : 3] ?? ''] ?? 'Console';
    document.title = mode === 'test' ? `TEST · ${name} · SVC Pay` : `${name} · SVC Pay`;
    document.getElementById('icon')?.setAttribute('href', mode === 'test' ? '/test.svg' : '/live.svg');
  }, [mode, pathname]);
}

export function Frame({ me, children }: { readonly me: SignedInPerson; readonly children: ReactNode }) {
  const { mode, accountId } = useParams({ strict: false });
  const { pathname } = useLocation();
  const [open, setOpen] = useState(false);
  const side = useRef<HTMLElement>(null);
  useTabOf(mode, pathname);
  useEffect(() => setOpen(false), [pathname]);
  useEffect(() => {
    if (!open) return undefined;
    side.current?.querySelector<HTMLElement>('a, button')?.focus();
    const close = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') setOpen(false);
    };
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, [open]);
  // Pages of the person belong to no account: the side leads back to the one that was open.
  const usual = accountId === undefined ? usualPlace(me.memberships) : undefined;
  const account = me.memberships.find((one) => one.accountId === (accountId ?? usual?.accountId));
  const sideMode = mode ?? usual?.mode;
  return (
    <div className="flex min-h-dvh flex-col" data-mode={mode}>
      <a href="#content" className="button first sr-only z-50 focus:not-sr-only focus:absolute focus:m-2">
        Skip to content
      </a>
      {mode === 'test' && (
        <aside
          aria-label="Mode"
          className="band sticky top-0 z-30 flex h-7 items-center justify-center gap-2 px-3 text-[0.857rem] font-semibold"
        >
          Test mode <span className="font-normal max-sm:hidden">— play money, nothing here is real</span>
        </aside>
      )}
      <header
        className={`sticky z-20 flex h-12 items-center gap-3 border-b border-line bg-card px-4 lg:hidden ${mode === 'test' ? 'top-7' : 'top-0'}`}
      >
        <button
          type="button"
          className="button bare small -ml-2"
          aria-expanded={open}
          aria-controls="side"
          aria-label={open ? 'Close menu' : 'Open menu'}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'close' : 'menu'} className="size-5" />
        </button>
        <span className="truncate font-semibold">{account?.accountName ?? 'SVC Pay'}</span>
        {mode === 'live' && <span className="badge good ml-auto">Live</span>}
      </header>
      <div className="flex flex-1">
        <aside
          id="side"
          ref={side}
          aria-label="Account and pages"
          className={`fixed bottom-0 left-0 z-20 w-72 flex-none overflow-y-auto border-r border-line bg-card lg:sticky lg:block lg:w-58 lg:self-start ${mode === 'test' ? 'top-19 lg:top-7 lg:h-[calc(100dvh-1.75rem)]' : 'top-12 lg:top-0 lg:h-dvh'} ${open ? 'block shadow-2xl' : 'hidden'}`}
        >
          <Side
            me={me}
            mode={sideMode === 'live' || sideMode === 'test' ? sideMode : undefined}
            accountId={account?.accountId}
          />
        </aside>
        <main id="content" tabIndex={-1} className="min-w-0 flex-1 px-4 py-6 outline-none sm:px-6 lg:px-9 lg:py-8">
          <div className="mx-auto max-w-6xl">{children}</div>
        </main>
      </div>
    </div>
  );
}
