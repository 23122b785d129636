import { html, raw, type SafeHtml } from '../http/html.ts';

const drawn = (paths: string): SafeHtml =>
  html`<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${raw(paths)}</svg>`;

export const CHECK = drawn('<path d="M5 12.6l4.6 4.6L19 7.4"/>');
export const ALERT = drawn('<path d="M12 5.5v7.5M12 18v.05"/>');
export const OUTWARD = drawn('<path d="M8 16L16 8M9.5 8H16v6.5"/>');
