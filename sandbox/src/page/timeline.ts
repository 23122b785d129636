import type { ShownWorld } from '../watch/overview.ts';
import type { Trail } from '../watch/trail.ts';
import { part } from './facts.ts';
import { followStream } from './follow.ts';
import { lanesHtml } from './lanes-region.ts';
import { paymentsHtml } from './payments-region.ts';
import { nothingHtml, trailHtml } from './trail-region.ts';

const lanes = part('lanes');
const payments = part('payments');
const trail = part('trail');

let chosen = /^\/payments\/([\w-]+)$/.exec(location.pathname)?.[1];
/** Intent on display: the chosen one, or else always the newest. */
let shown: string | undefined;
let stop = () => {};

function show(intentId: string | undefined): void {
  if (intentId === shown) return;
  shown = intentId;
  stop();
  stop = () => {};
  trail.innerHTML = '';
  if (intentId === undefined) return;
  let steps = 0;
  stop = followStream(`/payments/${intentId}/stream`, (told) => {
    const state = told as Trail | null;
    trail.innerHTML = state === null ? nothingHtml('There is no such payment.') : trailHtml(state, steps);
    steps = state?.steps.length ?? 0;
  });
}

followStream('/stream', (told) => {
  const overview = told as ShownWorld;
  lanes.innerHTML = lanesHtml(overview);
  const newest = overview.intents[0]?.id;
  show(chosen ?? newest);
  payments.innerHTML = paymentsHtml(overview, shown);
  if (shown === undefined) trail.innerHTML = nothingHtml('Nothing was paid yet. Order something in the shop.');
});

payments.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const intentId = link?.dataset['intent'];
  if (intentId === undefined) return;
  event.preventDefault();
  chosen = intentId;
  history.replaceState(null, '', `/payments/${intentId}`);
  for (const other of payments.querySelectorAll('a')) other.toggleAttribute('aria-current', other === link);
  show(intentId);
});

const crowd = part('crowd') as HTMLButtonElement;
async function callCrowd(): Promise<void> {
  crowd.disabled = true;
  crowd.textContent = 'They come …';
  await fetch('/crowd', { method: 'POST' }).catch(() => undefined);
  crowd.textContent = 'A crowd pays';
  crowd.disabled = false;
}
crowd.addEventListener('click', () => void callCrowd());
