// Refusals at a payable address, for browsers. They say nothing about the intent, which may not exist.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { html } from '../http/html.ts';
import { ALERT } from './icons.ts';
import { pageShell } from './page-shell.ts';

type Told = { readonly title: string; readonly text: string };

const TOLD: Readonly<Partial<Record<ErrorCode, Told>>> = {
  not_found: {
    title: 'This link does not work',
    text:
      'It is not complete, or older than 30 days. Open the whole link again, or ask who sent it for a new one. ' +
      'If you have paid already, do not pay again: ask the merchant.',
  },
  rate_limited: {
    title: 'Too many requests',
    text: 'Wait a minute, then reload this page.',
  },
};
const OTHERWISE: Told = {
  title: 'This page can’t be shown',
  text: 'The payment service does not answer right now. Reload this page in a moment.',
};

/** The page’s script opens the whole address again if this tab has seen it before: `data-state` tells it to try. */
export function refusalPage(code: ErrorCode, requestId: string): string {
  const { title, text } = TOLD[code] ?? OTHERWISE;
  const main = html`<main class="alone" data-state="${code === 'not_found' ? 'missing' : 'refused'}">
<section class="card result plain" aria-labelledby="stands">
<div class="disc" aria-hidden="true">${ALERT}</div>
<h1 id="stands">${title}</h1>
<p>${text}</p>
<p class="muted small">Request ${requestId}</p>
</section>
</main>`;
  return pageShell(title, main, false);
}
