import type { ConsoleMode } from '../api/people.ts';

const KEPT_AS = 'svc-console-place';

type LastPlace = { readonly accountId: string; readonly mode: ConsoleMode };

/** The account and mode of the last visit, or play money of the first account. Undefined for a member of none. */
export function usualPlace(memberships: readonly { readonly accountId: string }[]): LastPlace | undefined {
  const last = lastPlace();
  const chosen = memberships.find(({ accountId }) => accountId === last?.accountId) ?? memberships[0];
  if (chosen === undefined) return undefined;
  return { accountId: chosen.accountId, mode: chosen.accountId === last?.accountId ? last.mode : 'test' };
}

function lastPlace(): LastPlace | undefined {
  try {
    const [mode, accountId] = (localStorage.getItem(KEPT_AS) ?? '').split(' ');
    return accountId && (mode === 'test' || mode === 'live') ? { accountId, mode } : undefined;
  } catch {
    // A browser without storage begins anew at each visit.
    return undefined;
  }
}

export function keepPlace({ accountId, mode }: LastPlace): void {
  try {
    localStorage.setItem(KEPT_AS, `${mode} ${accountId}`);
  } catch {
    // See above.
  }
}
