import type { ConsoleMode } from '../api/people.ts';

const KEPT_AS = 'svc-console-place';

export type LastPlace = { readonly accountId: string; readonly mode: ConsoleMode };

export function lastPlace(): LastPlace | undefined {
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
