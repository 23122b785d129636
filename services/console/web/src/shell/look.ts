// Light or dark: the system's choice until the person makes one, which stays in this browser.

export const LOOKS = ['system', 'light', 'dark'] as const;
export type Look = (typeof LOOKS)[number];
const KEPT_AS = 'svc-console-look';

export function readLook(): Look {
  try {
    const kept = localStorage.getItem(KEPT_AS);
    return LOOKS.find((look) => look === kept) ?? 'system';
  } catch {
    // A browser without storage follows the system.
    return 'system';
  }
}

export function applyLook(look: Look): void {
  if (look === 'system') delete document.documentElement.dataset['look'];
  else document.documentElement.dataset['look'] = look;
}

export function chooseLook(look: Look): void {
  applyLook(look);
  try {
    localStorage.setItem(KEPT_AS, look);
  } catch {
    // The choice counts until the page is left.
  }
}
