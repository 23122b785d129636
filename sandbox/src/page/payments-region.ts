import { html } from '../serve/html.ts';
import { showAmount } from '../shop/show-amount.ts';
import type { ShownWorld } from '../watch/overview.ts';

const SAID: Readonly<Record<string, string>> = { requires_payment: 'waiting', processing: 'under way' };

export function paymentsHtml({ intents }: ShownWorld, shown: string | undefined): string {
  return html`${intents.map(({ id, status, isUpto, amountAtomic, description, createdAt }) => {
    const current = { html: id === shown ? 'aria-current="true"' : '' };
    const time = new Date(createdAt).toLocaleTimeString('en-GB');
    return html`<li><a href="/payments/${id}" data-intent="${id}" ${current}>
      <span class="mark ${status}"></span>
      <span class="what">${description}<small>${time} · ${SAID[status] ?? status}</small></span>
      <span class="amount">${isUpto ? html`<small>up to</small> ` : ''}${showAmount(amountAtomic)}</span></a></li>`;
  })}`.html;
}
