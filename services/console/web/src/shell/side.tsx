import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { ConsoleMode, SignedInPerson } from '../api/people.ts';
import { may, ROLE_WORDS } from '../api/roles.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { leaveSession } from './leave-session.ts';
import { chooseLook, LOOKS, readLook } from './look.ts';

type SideProps = {
  readonly me: SignedInPerson;
  readonly mode: ConsoleMode | undefined;
  readonly accountId: string | undefined;
};

export function Side({ me, mode, accountId }: SideProps) {
  const account = me.memberships.find((one) => one.accountId === accountId);
  const at = mode !== undefined && account !== undefined ? { mode, accountId: account.accountId } : undefined;
  const can = (action: Parameters<typeof may>[1]) => account !== undefined && may(account.role, action);
  return (
    <div className="flex min-h-full flex-col gap-5 p-3">
      <div className="grid gap-2">
        <AccountSwitch me={me} accountId={accountId} mode={mode ?? 'test'} />
        {at !== undefined && <ModeSwitch accountId={at.accountId} mode={at.mode} />}
      </div>
      {at !== undefined && (
        <nav aria-label="Pages" className="grid gap-4">
          <NavGroup>
            <Link to="/$mode/$accountId/overview" params={at} className="nav-link">
              <Icon name="overview" /> Overview
            </Link>
            <Link to="/$mode/$accountId/payments" params={at} className="nav-link">
              <Icon name="payments" /> Payments
            </Link>
            <Link to="/$mode/$accountId/attempts" params={at} className="nav-link">
              <Icon name="refused" /> Refused attempts
            </Link>
            {can('charge') && (
              <Link to="/$mode/$accountId/new" params={at} className="nav-link">
                <Icon name="link" /> New payment link
              </Link>
            )}
            {can('policy') && (
              <Link to="/$mode/$accountId/other-amounts" params={at} className="nav-link">
                <Icon name="scales" /> Other amounts
              </Link>
            )}
          </NavGroup>
          {can('webhooks') && (
            <NavGroup title="Developers">
              {can('keys') && (
                <Link to="/$mode/$accountId/keys" params={at} className="nav-link">
                  <Icon name="key" /> API keys
                </Link>
              )}
              <Link to="/$mode/$accountId/endpoints" params={at} className="nav-link">
                <Icon name="endpoint" /> Webhooks
              </Link>
              <Link to="/$mode/$accountId/events" params={at} className="nav-link">
                <Icon name="event" /> Events
              </Link>
            </NavGroup>
          )}
          <NavGroup title="Account">
            <Link to="/$mode/$accountId/payouts" params={at} className="nav-link">
              <Icon name="payout" /> Payouts
            </Link>
            {can('people') && (
              <Link to="/$mode/$accountId/people" params={at} className="nav-link">
                <Icon name="people" /> People
              </Link>
            )}
          </NavGroup>
        </nav>
      )}
      <div className="mt-auto grid gap-1 border-t border-line pt-3">
        {me.person.operatorView && (
          <Link to="/operator" className="nav-link">
            <Icon name="operator" /> Operator
          </Link>
        )}
        <LookSwitch />
        <Link to="/profile" className="nav-link">
          <Icon name="person" /> <span className="truncate">{me.person.name}</span>
        </Link>
        <SignOut />
      </div>
    </div>
  );
}

const NavGroup = ({ title, children }: { readonly title?: string; readonly children: ReactNode }) => (
  <div className="grid gap-0.5">
    {title !== undefined && <p className="px-2.5 pb-1 text-[0.786rem] font-medium text-soft">{title}</p>}
    {children}
  </div>
);

function AccountSwitch({
  me,
  accountId,
  mode,
}: {
  readonly me: SignedInPerson;
  readonly accountId: string | undefined;
  readonly mode: ConsoleMode;
}) {
  const chosen = me.memberships.find((one) => one.accountId === accountId);
  const face = (
    <>
      <span
        aria-hidden="true"
        className="grid size-7 flex-none place-items-center rounded-md bg-accent font-semibold text-accent-ink"
      >
        {(chosen?.accountName ?? 'S').slice(0, 1).toUpperCase()}
      </span>
      <span className="min-w-0 flex-1 text-left">
        <span className="block truncate leading-tight font-semibold">{chosen?.accountName ?? 'SVC Pay'}</span>
        <span className="block truncate text-[0.786rem] leading-tight text-soft">
          {chosen === undefined ? 'Choose an account' : ROLE_WORDS[chosen.role].word}
        </span>
      </span>
    </>
  );
  if (me.memberships.length < 2 && chosen !== undefined)
    return <div className="flex items-center gap-2.5 p-1.5">{face}</div>;
  return (
    <Menu label="Switch account" face={face}>
      {me.memberships.map((one) => (
        <Link
          key={one.accountId}
          to="/$mode/$accountId/overview"
          params={{ mode, accountId: one.accountId }}
          className="nav-link"
          {...(one.accountId === accountId && { 'data-here': '' })}
          aria-current={one.accountId === accountId ? 'true' : undefined}
        >
          <span className="min-w-0 flex-1 truncate">{one.accountName}</span>
          <span className="text-[0.786rem] text-soft">{ROLE_WORDS[one.role].word}</span>
        </Link>
      ))}
    </Menu>
  );
}

/** Two addresses side by side: which one is open can be seen, and the other is one deliberate step away. */
function ModeSwitch({ accountId, mode }: { readonly accountId: string; readonly mode: ConsoleMode }) {
  const look = (of: ConsoleMode) => {
    const here = of === 'test' ? 'bg-test text-test-ink' : 'bg-good-wash text-good';
    return `flex-1 rounded-md py-1 text-center text-[0.857rem] font-semibold ${of === mode ? here : 'text-soft hover:text-ink'}`;
  };
  return (
    <nav aria-label="Mode" className="flex gap-1 rounded-lg bg-sunk p-1">
      {(['test', 'live'] as const).map((of) => (
        <Link
          key={of}
          to="/$mode/$accountId/payments"
          params={{ mode: of, accountId }}
          className={look(of)}
          aria-current={of === mode ? 'true' : undefined}
        >
          {of === 'test' ? 'Test' : 'Live'}
        </Link>
      ))}
    </nav>
  );
}

function LookSwitch() {
  const [look, setLook] = useState(readLook);
  const next = LOOKS[(LOOKS.indexOf(look) + 1) % LOOKS.length] ?? 'system';
  const words = { system: 'System look', light: 'Light', dark: 'Dark' } as const;
  return (
    <button
      type="button"
      className="nav-link text-left"
      aria-label={`${words[look]}; switch to: ${words[next].toLowerCase()}`}
      onClick={() => {
        chooseLook(next);
        setLook(next);
      }}
    >
      <Icon name="sun" /> {words[look]}
    </button>
  );
}

function SignOut() {
  const { mutate, isPending } = useMutation({
    mutationFn: () => call('/sign-out', { method: 'POST' }),
    onSettled: leaveSession,
  });
  return (
    <button type="button" className="nav-link text-left" disabled={isPending} onClick={() => mutate()}>
      <Icon name="out" /> Sign out
    </button>
  );
}
