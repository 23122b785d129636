import { type Html, html, pageOf } from '../serve/html.ts';
import { ITEMS, type Item } from './items.ts';
import type { Order, OrderView } from './order.ts';
import { viewOf } from './order-view.ts';
import type { ShopFacts } from './shop-facts.ts';
import { showAmount } from './show-amount.ts';

type Facts = Omit<ShopFacts, 'order'>;

export function shopPage(facts: Facts, latest: readonly Order[]): string {
  const body = html`
    <p class="lead">Tea by the pot, and poetry by the line. The money is play money; everything else is real.</p>
    <ul class="items">${ITEMS.filter(({ tokenShortcode }) => facts.expect[tokenShortcode] !== undefined).map(card)}</ul>
    ${latest.length === 0 ? '' : html`<h2>Latest orders</h2><ul class="orders">${latest.map(row)}</ul>`}`;
  return page('Kettle & Verse', facts, null, body);
}

export function orderPage(facts: Facts, order: OrderView): string {
  const body = html`<a class="back" href="/">← The shop</a><section id="order" aria-live="polite"></section>`;
  return page(`${order.shown.name} · Kettle & Verse`, facts, order, body);
}

function page(title: string, facts: Facts, order: OrderView | null, body: Html): string {
  return pageOf({
    title,
    name: 'shop',
    facts: { ...facts, order } satisfies ShopFacts,
    body: html`
      <header class="top">
        <a class="brand" href="/">Kettle <em>&amp;</em> Verse</a>
        <nav><a href="${facts.timelineUrl}/console">Open the console</a><a href="${facts.timelineUrl}">What happens behind it →</a></nav>
      </header>
      <main>${body}</main>`,
  });
}

function card({ id, name, about, sale }: Item): Html {
  const price =
    sale.kind === 'exact'
      ? html`<b>${showAmount(sale.priceAtomic)}</b> USDC`
      : html`<b>${showAmount(sale.unitAtomic)}</b> USDC a line, at most ${showAmount(sale.capAtomic)}`;
  return html`
    <li class="card" data-item="${id}">
      <div class="picture ${id}" aria-hidden="true"></div>
      <h2>${name}</h2>
      <p>${about}</p>
      <p class="price">${price}</p>
      <form method="post" action="/orders"><input type="hidden" name="item" value="${id}"><button>Order</button></form>
    </li>`;
}

function row(order: Order): Html {
  const view = viewOf(order);
  if (view === undefined) return html``;
  const amount = showAmount(order.chargedAtomic ?? view.shown.amountAtomic);
  return html`<li><a href="/orders/${order.id}"><span>${view.shown.name}</span><span class="amount">${amount}</span
    ><span class="state ${order.status}">${order.status}</span></a></li>`;
}
