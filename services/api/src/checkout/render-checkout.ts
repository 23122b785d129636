// The checkout page of one intent.
import { html, type SafeHtml } from '../http/html.ts';
import type { CheckoutView, ShownWay } from './checkout-view.ts';
import { pageShell } from './page-shell.ts';
import { type CheckoutAddress, renderPayment } from './render-payment.ts';
import { renderResult, resultTitle } from './render-result.ts';

export function renderCheckout(view: CheckoutView, address: CheckoutAddress): string {
  const { state, intent, merchant, amount, expiresInMs } = view;
  const ended = resultTitle(state);
  const title = `${ended === undefined ? (intent.upto ? 'Authorize' : 'Pay') : `${ended}:`} ${amount} to ${merchant}`;
  const action = state === 'open' ? renderPayment(view, address) : renderResult(view, state);
  const main = html`<main data-state="${state}" data-status="${intent.status}" data-expires-in-ms="${String(expiresInMs)}">
${renderSummary(view)}
${action}
</main>`;
  // A payment that fails may be tried again without a reload, so the button comes with every page.
  return pageShell(title, main, true);
}

function renderSummary(view: CheckoutView): SafeHtml {
  const { intent, merchant, amount, description, ways, state } = view;
  const asks = state === 'open';
  return html`<section class="summary" aria-label="What is paid">
<header><span class="mark" aria-hidden="true">${initial(merchant)}</span><bdi class="merchant">${merchant}</bdi>
${intent.mode === 'test' ? html`<span class="badge">Test mode</span>` : ''}</header>
<h1><span class="lead">${leadOf(view)}</span> <span class="amount">${amount}</span></h1>
${description === '' ? '' : html`<p class="description"><bdi>${description}</bdi></p>`}
${intent.mode === 'test' ? html`<p class="muted">This is a test: no real money is moved.</p>` : ''}
${
  asks
    ? html`<dl>
<div><dt>${ways.length === 1 ? 'You pay' : 'Pay one of'}</dt><dd>${ways.map(renderWay)}</dd></div>
<div><dt>Network fee</dt><dd>${ways.some(({ isSigned }) => isSigned) ? 'None' : 'Paid by your wallet'}</dd></div>
<div><dt>Open until</dt><dd>${renderTime(intent.expiresAtMs)}</dd></div>
</dl>`
    : ''
}
</section>`;
}

function leadOf({ state, intent }: CheckoutView): string {
  if (intent.upto && state !== 'paid') return 'Authorize at most';
  return state === 'open' ? 'Pay' : 'Payment of';
}

const renderWay = ({ amount, rest, isSigned, networkName }: ShownWay): SafeHtml =>
  html`<span class="way">${isSigned ? amount : rest} <span class="muted">on ${networkName}</span></span>`;

function renderTime(timeMs: number): SafeHtml {
  const time = new Date(timeMs).toISOString();
  return html`<time datetime="${time}">${time.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

const initial = (name: string): string => String.fromCodePoint(name.codePointAt(0) ?? 32).toUpperCase();
