// The part of the checkout page beside the summary, where nothing can be paid: how the payment stands, and what to do next.
import { html, type SafeHtml } from '../http/html.ts';
import type { CheckoutState, CheckoutView, ShownTransfer } from './checkout-view.ts';
import { ALERT, CHECK, OUTWARD } from './icons.ts';

type Tone = 'good' | 'busy' | 'plain' | 'careful';
type Result = { readonly tone: Tone; readonly title: string; readonly text: (view: CheckoutView) => string };

const newLink = ({ merchant }: CheckoutView): string => `Ask ${merchant} for a new link.`;

const RESULTS: Readonly<Record<Exclude<CheckoutState, 'open'>, Result>> = {
  settling: {
    tone: 'busy',
    title: 'Payment under way',
    text: () => 'A payment has arrived and is being settled. Do not pay again; you can close this page.',
  },
  paid: { tone: 'good', title: 'Paid', text: () => 'Thank you. The payment is complete; you can close this page.' },
  authorized: {
    tone: 'good',
    title: 'Authorized',
    text: ({ merchant, amount }) =>
      `Nothing was charged yet. ${merchant} charges what you use, ${amount} at most, and once only.`,
  },
  expired: {
    tone: 'careful',
    title: 'Time is over',
    text: ({ merchant }) =>
      'The time to pay is over. If you have paid, do not pay again: this page will say when the payment has arrived. ' +
      `If you have not, ask ${merchant} for a new link.`,
  },
  ended: {
    tone: 'plain',
    title: 'No longer open',
    text: (view) => `This payment was canceled or has expired, and can’t be paid any more. ${newLink(view)}`,
  },
  no_way: {
    tone: 'plain',
    title: 'Can’t be paid here',
    text: (view) => `No token and network of this payment can be used now. Nothing was charged. ${newLink(view)}`,
  },
  unpaid: {
    tone: 'careful',
    title: 'Not paid',
    text: (view) =>
      `The last payment did not go through and nothing was charged. Its time to pay is over. ${newLink(view)}`,
  },
  mismatch: {
    tone: 'careful',
    title: 'Another amount arrived',
    text: ({ merchant }) =>
      `The amount that arrived is not the one that was asked for. Please contact ${merchant}; do not pay again.`,
  },
};

/** Short forms for the title of the page. */
export function resultTitle(state: CheckoutState): string | undefined {
  return state === 'open' ? undefined : RESULTS[state].title;
}

export function renderResult(view: CheckoutView, state: Exclude<CheckoutState, 'open'>): SafeHtml {
  const { tone, title, text } = RESULTS[state];
  const mark = { good: CHECK, careful: ALERT, plain: ALERT, busy: html`<span class="spinner"></span>` }[tone];
  return html`<section class="card result ${tone}" aria-labelledby="stands">
<div class="disc" aria-hidden="true">${mark}</div>
<h2 id="stands" tabindex="-1">${title}</h2>
<p>${text(view)}</p>
${view.transfer === null ? '' : renderTransfer(view.transfer)}
</section>`;
}

function renderTransfer({ amount, networkName, transactionId, explorerUrl, completedAtMs }: ShownTransfer): SafeHtml {
  const time = completedAtMs === null ? '' : new Date(completedAtMs).toISOString();
  return html`<dl>
${amount === null ? '' : html`<div><dt>Amount</dt><dd>${amount}</dd></div>`}
<div><dt>Network</dt><dd>${networkName}</dd></div>
${time === '' ? '' : html`<div><dt>Time</dt><dd><time datetime="${time}">${time.slice(0, 16).replace('T', ' ')} UTC</time></dd></div>`}
${transactionId === null ? '' : html`<div><dt>Transaction</dt><dd>${transactionLink(transactionId, explorerUrl)}</dd></div>`}
</dl>`;
}

function transactionLink(transactionId: string, explorerUrl: string | null): SafeHtml {
  if (explorerUrl === null) return html`<code>${transactionId}</code>`;
  return html`<a href="${explorerUrl}" target="_blank" rel="noopener noreferrer" title="${transactionId}">${shortened(transactionId)} ${OUTWARD}<span class="unseen">(opens the block explorer)</span></a>`;
}

const shortened = (id: string): string => (id.length > 20 ? `${id.slice(0, 10)}…${id.slice(-8)}` : id);
