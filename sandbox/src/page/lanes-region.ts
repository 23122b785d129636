// Draws lanes from left to right: each capsule is a transaction, each dot in it a payment.
import { type Html, html } from '../serve/html.ts';
import type { ShownBatch, ShownLane, ShownWorld } from '../watch/overview.ts';
import { short } from './short.ts';

const MOST_DOTS = 12;

export function lanesHtml({ lanes, queued, held }: ShownWorld): string {
  const waiting = queued + held === 0 ? 'nobody waits' : `${queued} wait${held > 0 ? `, ${held} held` : ''}`;
  return html`
    <p class="queue ${queued > 0 ? 'busy' : ''}"><b>Lanes</b><span>${waiting}</span></p>
    <ol>${lanes.map(laneOf)}</ol>`.html;
}

function laneOf({ relayer, condition, awake, batches }: ShownLane): Html {
  return html`
    <li>
      <p class="lane" title="${relayer}"><span class="dot ${awake ? 'awake' : ''} ${condition}"></span
        ><code>${short(relayer)}</code></p>
      <div class="track">${batches.length === 0 ? html`<span class="still">no transaction yet</span>` : batches.map(batchOf)}</div>
    </li>`;
}

function batchOf({ nonce, status, itemCount }: ShownBatch): Html {
  const dots = Array.from({ length: Math.min(itemCount, MOST_DOTS) }, () => html`<i></i>`);
  const more = itemCount > MOST_DOTS ? html`<small>+${itemCount - MOST_DOTS}</small>` : '';
  const title = `transaction ${nonce}, ${status}: ${itemCount === 1 ? 'one payment' : `${itemCount} payments`}`;
  return html`<span class="batch ${status}" title="${title}" aria-label="${title}">${dots}${more}</span>`;
}
