import { html, pageOf } from '../serve/html.ts';

export function timelinePage(shopUrl: string): string {
  return pageOf({
    title: 'Timeline · SVC Pay sandbox',
    name: 'timeline',
    facts: { shopUrl },
    body: html`
      <header class="top">
        <a class="brand" href="/">Timeline</a>
        <nav><button id="crowd" class="quiet">A crowd pays</button><a href="/console">Open the console</a><a href="${shopUrl}">The shop →</a></nav>
      </header>
      <main>
        <section class="lanes" aria-label="Lanes"><div id="lanes"></div></section>
        <div class="columns">
          <section class="payments" aria-label="Payments"><h2>Payments</h2><ol id="payments"></ol></section>
          <section class="trail" aria-label="One payment"><div id="trail"></div></section>
        </div>
        <footer>
          <p><i class="api"></i> from the merchant’s API: intents, events, every webhook attempt; its event stream says
          when to look. <i class="operator"></i> from the operator’s read-only view: signatures, lanes, batches,
          transactions, books, and the list of payments.</p>
        </footer>
      </main>`,
  });
}
