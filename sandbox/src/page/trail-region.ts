// Draws one payment from top to bottom. Future steps are faint, to show what the payment waits for.
import { type Html, html } from '../serve/html.ts';
import { showAmount } from '../shop/show-amount.ts';
import type { Trail, TrailLeg, TrailStep } from '../watch/trail.ts';
import { short } from './short.ts';

const EXPECTED = [
  ['signature', 'The payer signs'],
  ['charge', 'The merchant charges'],
  ['batch', 'A lane takes it into a batch'],
  ['transaction', 'The transaction is sent'],
  ['end', 'The chain has it'],
  ['books', 'Every unit is booked'],
  ['webhook', 'The shop hears of it'],
  ['final', 'The block is final'],
] as const satisfies readonly (readonly [TrailStep['kind'], string])[];

/** What a transfer of the payer's own is never in need of. */
const NOT_OF_TRANSFERS: ReadonlySet<TrailStep['kind']> = new Set(['signature', 'batch', 'final']);

/** Matches hashes, ids, base58 addresses and signatures, and accounts of the Internet Computer. */
const LONG = /^(?:0x|pi_|[1-9A-HJ-NP-Za-km-z]{32,88}$|(?:[a-z2-7]{5}-){4})/;

const HEADINGS: Readonly<Record<string, string>> = {
  requires_payment: 'waiting for the payer',
  processing: 'under way',
};

/** `known`: number of steps drawn before; new steps are animated. */
export function trailHtml(trail: Trail, known: number): string {
  const { status, isUpto, isTransfer, amountAtomic, description, steps, atRest, intentId } = trail;
  const startMs = Date.parse(steps[0]?.at ?? '');
  const kinds = new Set(steps.map(({ kind }) => kind));
  const isOver = atRest || status === 'failed' || status === 'canceled';
  const isExpected = (kind: TrailStep['kind']) =>
    (isUpto || kind !== 'charge') && !(isTransfer && NOT_OF_TRANSFERS.has(kind));
  const ghosts = EXPECTED.filter(([kind]) => !kinds.has(kind) && !isOver && isExpected(kind));
  return html`
    <header>
      <p class="state ${status}">${HEADINGS[status] ?? status}</p>
      <h2>${description}</h2>
      <p class="sum">${isUpto ? 'up to ' : ''}<b>${showAmount(amountAtomic)}</b> USDC <code title="${intentId}">${short(intentId)}</code>
        <a class="open" href="/console?payment=${intentId}">In the console →</a></p>
    </header>
    <ol class="steps">
      ${steps.map((step, index) => stepOf(step, startMs, index >= known))}
      ${ghosts.map(([kind, title]) => html`<li class="ghost ${kind}"><span class="time"></span><span class="node"></span><div><h3>${title}</h3></div></li>`)}
    </ol>`.html;
}

export function nothingHtml(text: string): string {
  return html`<p class="nothing">${text}</p>`.html;
}

function stepOf({ kind, at, title, source, tone, facts, legs }: TrailStep, startMs: number, isNew: boolean): Html {
  return html`
    <li class="${kind} ${tone} ${isNew ? 'new' : ''}">
      <time class="time" datetime="${at}" title="${at}">${since(Date.parse(at) - startMs)}</time>
      <span class="node ${source}" title="${source === 'api' ? 'merchant’s API' : 'operator’s view'}"></span>
      <div>
        <h3>${title}</h3>
        ${facts.length === 0 ? '' : html`<dl>${facts.map(factOf)}</dl>`}
        ${legs === undefined ? '' : legsOf(legs)}
      </div>
    </li>`;
}

const factOf = ([name, value]: readonly [string, string]): Html =>
  html`<div><dt>${name}</dt><dd title="${value}">${LONG.test(value) ? short(value) : timeless(value)}</dd></div>`;

/** Formats a date in the reader's time zone; other values stay unchanged. */
function timeless(value: string): string {
  return /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).toLocaleString('en-GB') : value;
}

function since(ms: number): string {
  if (ms < 1_000) return `+${ms} ms`;
  const seconds = ms / 1_000;
  return seconds < 100 ? `+${seconds.toFixed(2)} s` : `+${Math.round(seconds / 60)} min`;
}

function legsOf(legs: readonly TrailLeg[]): Html {
  const sizeOf = (text: string) => (BigInt(text) < 0n ? -BigInt(text) : BigInt(text));
  const largest = legs.reduce(
    (most, { amountAtomic }) => (sizeOf(amountAtomic) > most ? sizeOf(amountAtomic) : most),
    1n,
  );
  return html`<ul class="legs">${legs.map(({ account, party, amountAtomic }) => {
    const width = (sizeOf(amountAtomic) * 100n) / largest;
    const side = BigInt(amountAtomic) < 0n ? 'out' : 'in';
    return html`<li class="${side}" title="${party}"><span>${account.replaceAll('_', ' ')}</span><span class="bar"><i
      style="width:${String(width)}%"></i></span><b>${showAmount(amountAtomic)}</b></li>`;
  })}</ul>`;
}
