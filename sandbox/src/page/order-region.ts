// Draws one order, again for each state from the shop's server.
import { type Html, html } from '../serve/html.ts';
import type { OrderView } from '../shop/order.ts';
import type { ShopFacts } from '../shop/shop-facts.ts';
import { showAmount } from '../shop/show-amount.ts';
import { payControl } from './pay-control.ts';
import { short } from './short.ts';

const SAID: Readonly<Record<OrderView['status'], string>> = {
  open: 'Waiting for the payment',
  authorized: 'Your tab is open',
  closing: 'Charging what you read …',
  paid: 'Paid',
  failed: 'Not paid',
  canceled: 'Let go, nothing was charged',
};

export function createOrderRegion(region: HTMLElement, facts: ShopFacts, first: OrderView): (order: OrderView) => void {
  const head = document.createElement('div');
  const work = document.createElement('div');
  const control = payControl(facts, first);
  region.append(head, work);
  return (order) => {
    region.dataset['status'] = order.status;
    head.innerHTML = headOf(order).html;
    if (order.status === 'open') {
      if (control.parentElement !== work) work.replaceChildren(control);
      return;
    }
    work.innerHTML = (order.shown.kind === 'upto' ? tabOf(order) : html``).html + receiptOf(facts, order).html;
    for (const button of work.querySelectorAll<HTMLButtonElement>('button[data-do]')) {
      button.addEventListener('click', () => void act(order.id, button));
    }
    work.querySelector('.verse')?.scrollTo({ top: 1e6 });
  };
}

async function act(orderId: string, button: HTMLButtonElement): Promise<void> {
  button.disabled = true;
  const response = await fetch(`/orders/${orderId}/${button.dataset['do']}`, { method: 'POST' });
  if (response.ok) return;
  const { error } = (await response.json()) as { error?: string };
  button.insertAdjacentHTML('afterend', html`<p class="words">${error ?? 'That did not work.'}</p>`.html);
}

function headOf({ shown, status, trouble }: OrderView): Html {
  return html`
    <p class="state ${status}">${SAID[status]}</p>
    <h1>${shown.name}</h1>
    <p class="about">${shown.about}</p>
    ${trouble === null ? '' : html`<p class="trouble">${trouble}</p>`}`;
}

function tabOf({ shown, lines, usedAtomic, status }: OrderView): Html {
  const isOpen = status === 'authorized';
  const percent = (BigInt(usedAtomic) * 100n) / BigInt(shown.amountAtomic);
  return html`
    <div class="verse">${lines.map((line, index) => html`<p ${{ html: index % 6 === 0 && index > 0 ? 'class="stanza"' : '' }}>${line}</p>`)}</div>
    <div class="meter" role="meter" aria-valuemin="0" aria-valuemax="100" aria-valuenow="${String(percent)}"
      aria-label="used of the limit"><span style="width:${String(percent)}%"></span></div>
    <p class="used"><b>${showAmount(usedAtomic)}</b> of ${showAmount(shown.amountAtomic)} USDC</p>
    ${
      isOpen
        ? html`<menu><button data-do="lines" ${{ html: percent >= 100n ? 'disabled' : '' }}>Another line</button
          ><button data-do="close" class="quiet">${lines.length === 0 ? 'Nothing for me' : 'That was enough'}</button></menu>`
        : ''
    }`;
}

function receiptOf({ timelineUrl }: ShopFacts, order: OrderView): Html {
  const { status, chargedAtomic, returnedAtomic, transactionId, intentId, shown } = order;
  const look =
    intentId === null ? '' : html`<a class="look" href="${timelineUrl}/payments/${intentId}">See how it went →</a>`;
  if (status !== 'paid' || chargedAtomic === null) return html`${look}`;
  const isUpto = shown.kind === 'upto' && returnedAtomic !== null;
  return html`
    <dl class="receipt">
      <dt>Charged</dt><dd>${showAmount(chargedAtomic)} USDC</dd>
      ${isUpto ? html`<dt>Back with you</dt><dd>${showAmount(returnedAtomic)} USDC</dd>` : ''}
      <dt>Transaction</dt><dd><code title="${transactionId ?? ''}">${short(transactionId ?? '')}</code></dd>
      <dt>Known by</dt><dd>a signed webhook, verified</dd>
    </dl>${look}`;
}
