// The words and facts of each kind of entry.
import type { PaymentIntent } from '@svc-pay/protocol';
import type { TimelineEntry } from '@svc-pay/protocol/merchant';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { may } from '../../api/roles.ts';
import type { PageScope } from '../../api/scope.ts';
import { chainName } from '../../format/chains.ts';
import { hundredths, showUsd } from '../../format/money.ts';
import { Badge, Copy, ExternalLink, StateBadge, Time } from '../../ui/bits.tsx';
import { DELIVERY_WORDS, EVENT_WORDS, OUTCOME_WORDS, REFUND_WORDS, type Tone } from '../../words/states.ts';
import type { ShowAmount } from './units.ts';

export type EntryDrawing = { readonly title: ReactNode; readonly tone: Tone; readonly facts?: ReactNode };
type DrawingOf<Kind extends TimelineEntry['kind']> = Extract<TimelineEntry, { readonly kind: Kind }>;
type DrawnWith = { readonly scope: PageScope; readonly units: ShowAmount; readonly intent: PaymentIntent };

const Facts = ({ children }: { readonly children: ReactNode }) => (
  <dl className="mt-0.5 flex flex-wrap gap-x-5 gap-y-0.5 text-[0.929rem]">{children}</dl>
);

const One = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="flex min-w-0 items-baseline gap-1.5">
    <dt className="text-soft">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
);

const Transaction = ({ id, url }: { readonly id: string; readonly url: string | null }) => (
  <One name="transaction">
    <span className="flex flex-wrap gap-x-3">
      <Copy text={id} label="transaction" />
      {url !== null && <ExternalLink href={url}>Explorer</ExternalLink>}
    </span>
  </One>
);

export function drawEntry(entry: TimelineEntry, around: DrawnWith): EntryDrawing {
  switch (entry.kind) {
    case 'intent_created':
      return created(entry, around);
    case 'intent_canceled':
      return { title: 'It was canceled', tone: 'quiet' };
    case 'attempt_refused':
      return {
        title: 'An attempt to pay was refused',
        tone: 'bad',
        facts: entry.payer !== null && (
          <Facts>
            <One name="payer">
              <Copy text={entry.payer} label="payer" />
            </One>
          </Facts>
        ),
      };
    case 'authorization_received':
      return authorized(entry, around);
    case 'payment_started':
      return started(entry, around);
    case 'batch_joined':
      return {
        title: entry.itemCount > 1 ? `A relayer took it into a batch of ${entry.itemCount}` : 'A relayer took it',
        tone: entry.batchStatus === 'dropped' ? 'wait' : 'note',
        facts: (
          <Facts>
            <One name="network">{chainName(entry.chain)}</One>
            <One name="relayer">
              <Copy text={entry.relayer} label="relayer" />
            </One>
            <One name="number">{entry.nonce}</One>
          </Facts>
        ),
      };
    case 'transaction_sent':
      return sent(entry);
    case 'block_final':
      return {
        title: 'Its block is final',
        tone: 'good',
        facts: (
          <Facts>
            {entry.blockNumber !== null && <One name="block">{entry.blockNumber}</One>}
            <Transaction id={entry.transactionId} url={entry.explorerUrl} />
          </Facts>
        ),
      };
    case 'booked':
      return booked(entry, around);
    case 'money_stranded':
      return {
        title: STRANDED[entry.action],
        tone: entry.status === 'done' ? 'good' : 'wait',
        facts: (
          <Facts>
            <Transaction id={entry.transactionId} url={entry.explorerUrl} />
          </Facts>
        ),
      };
    case 'event_written':
      return written(entry, around);
    case 'delivery_tried':
      return tried(entry, around);
    case 'refund_started':
    case 'refund_ended':
      break;
  }
  return refunded(entry, around);
}

const STRANDED = {
  settle: 'The payer’s money lies with the processor and is being settled',
  return: 'The payer’s money lies with the processor and goes back',
  hold: 'The payer’s money lies with the processor and waits',
} as const;

function created({ offers }: DrawingOf<'intent_created'>, { units, intent }: DrawnWith): EntryDrawing {
  const cap = intent.x402_upto ? 'up to ' : '';
  return {
    title: intent.amountUsd ? `You asked for ${cap}${showUsd(intent.amountUsd)}` : 'You asked for a payment',
    tone: 'note',
    facts: offers.length > 0 && (
      <details className="mt-0.5 text-[0.929rem]">
        <summary className="text-soft">
          {offers.length === 1 ? 'One way to pay' : `${offers.length} ways to pay`}
        </summary>
        <ul className="mt-1 grid gap-1">
          {offers.map(({ chain, tokenShortcode, amount, payTo, flow }) => (
            <li key={`${flow} ${chain} ${tokenShortcode}`} className="flex flex-wrap gap-x-3">
              <span>{units(amount, tokenShortcode)}</span>
              <span className="text-soft">{chainName(chain)}</span>
              <span className="text-soft">{flow === 'x402' ? 'by signature' : 'by the payer’s transaction'}</span>
              <Copy text={payTo} label="recipient" />
            </li>
          ))}
        </ul>
      </details>
    ),
  };
}

function authorized(entry: DrawingOf<'authorization_received'>, { units, intent }: DrawnWith): EntryDrawing {
  const { cap, charged, released, asset, payer, direct, recipient, validUntil, closedAt } = entry;
  return {
    title: intent.x402_upto
      ? `The payer authorized up to ${units(cap, asset)}`
      : `The payer signed ${units(cap, asset)}`,
    tone: 'good',
    facts: (
      <Facts>
        <One name="payer">
          <Copy text={payer} label="payer" />
        </One>
        <One name={direct ? 'to your wallet' : 'to the processor'}>
          <Copy text={recipient} label="recipient" />
        </One>
        {intent.x402_upto && charged !== null && <One name="charged">{units(charged, asset)}</One>}
        {intent.x402_upto && released !== null && <One name="left to the payer">{units(released, asset)}</One>}
        <One name={closedAt === null ? 'valid until' : 'was valid until'}>
          <Time iso={validUntil} plain />
        </One>
      </Facts>
    ),
  };
}

function started(entry: DrawingOf<'payment_started'>, { units }: DrawnWith): EntryDrawing {
  const tones: Readonly<Record<typeof entry.status, Tone>> = {
    pending: 'wait',
    completed: 'good',
    failed: 'bad',
    canceled: 'quiet',
    refunded: 'good',
    mismatched: 'wait',
  };
  const paid = entry.paidAmount ?? entry.amount;
  return {
    title:
      entry.settlementStatus === null
        ? `${units(paid, entry.asset)} came in`
        : `The payment of ${units(paid, entry.asset)} began`,
    tone: tones[entry.status],
    facts: (
      <Facts>
        <One name="network">{chainName(entry.chain)}</One>
        {entry.payer !== null && (
          <One name="payer">
            <Copy text={entry.payer} label="payer" />
          </One>
        )}
        {entry.requestedAmount !== null && entry.requestedAmount !== paid && (
          <One name="asked for">{units(entry.requestedAmount, entry.asset)}</One>
        )}
        {entry.paidTotal !== null && <One name="with the parts before">{units(entry.paidTotal, entry.asset)}</One>}
        {entry.refundDueAmount !== null && <One name="due back">{units(entry.refundDueAmount, entry.asset)}</One>}
        {entry.retryAt !== null && (
          <One name="next try">
            <Time iso={entry.retryAt} />
          </One>
        )}
        <One name="payment">
          <Copy text={entry.paymentId} label="payment id" />
        </One>
      </Facts>
    ),
  };
}

function sent({
  attempt,
  outcome,
  blockNumber,
  transactionId,
  explorerUrl,
}: DrawingOf<'transaction_sent'>): EntryDrawing {
  const ends: Readonly<Record<typeof outcome, readonly [string, Tone]>> = {
    awaits_block: ['waits for a block', 'wait'],
    mined: ['in a block', 'good'],
    final: ['in a final block', 'good'],
    superseded: ['a later one took its place', 'quiet'],
    replaced: ['another one took its number', 'quiet'],
    reverted: ['reverted', 'bad'],
  };
  const [end, tone] = ends[outcome];
  return {
    title: attempt > 1 ? `The transaction was sent again with a higher fee (${attempt})` : 'The transaction was sent',
    tone,
    facts: (
      <Facts>
        <One name="outcome">{end}</One>
        {blockNumber !== null && <One name="block">{blockNumber}</One>}
        <Transaction id={transactionId} url={explorerUrl} />
      </Facts>
    ),
  };
}

function booked({ entries }: DrawingOf<'booked'>, { units }: DrawnWith): EntryDrawing {
  const isReversal = entries.some(({ reverses }) => reverses !== null);
  return {
    title: isReversal ? 'The booking was taken back' : 'Every unit is booked',
    tone: isReversal ? 'wait' : 'good',
    facts: (
      <ul className="mt-1.5 grid gap-1 text-[0.929rem]">
        {entries.map(({ id, account, party, amount, asset }) => (
          <li
            key={id}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-3 sm:grid-cols-[7.5rem_minmax(2rem,1fr)_auto]"
            title={party}
          >
            <span className="truncate text-soft">{account.replaceAll('_', ' ')}</span>
            <progress
              className="bar max-sm:hidden"
              max={100}
              value={hundredths(amount, largestOf(entries, asset))}
              aria-hidden="true"
            />
            <span className="text-right font-medium whitespace-nowrap">{units(amount, asset)}</span>
          </li>
        ))}
      </ul>
    ),
  };
}

/** Bars compare amounts of one asset. */
function largestOf(entries: DrawingOf<'booked'>['entries'], asset: string): string {
  const sizes = entries.filter((entry) => entry.asset === asset).map(({ amount }) => BigInt(amount.replace('-', '')));
  return sizes.reduce((most, size) => (size > most ? size : most), 0n).toString();
}

/** Whoever may not open an event reads its type. */
const eventLink = (scope: PageScope, eventId: string, text: string) =>
  may(scope.role, 'webhooks') ? (
    <Link
      to="/$mode/$accountId/events/$eventId"
      params={{ mode: scope.mode, accountId: scope.accountId, eventId }}
      className="link"
    >
      {text}
    </Link>
  ) : (
    <span className="mono">{text}</span>
  );

function written({ eventId, eventType, deliveries }: DrawingOf<'event_written'>, { scope }: DrawnWith): EntryDrawing {
  return {
    title: `Event: ${EVENT_WORDS[eventType].toLowerCase()}`,
    tone: 'note',
    facts: (
      <Facts>
        <One name="event">{eventLink(scope, eventId, eventType)}</One>
        {deliveries.length === 0 && <One name="endpoints">none takes it</One>}
        {deliveries.map(({ endpointId, status }) => (
          <One key={endpointId} name="endpoint">
            <StateBadge words={DELIVERY_WORDS[status]} />
          </One>
        ))}
      </Facts>
    ),
  };
}

function tried(entry: DrawingOf<'delivery_tried'>, { scope }: DrawnWith): EntryDrawing {
  const { outcome, responseStatus, attempt, totalMs, nextAt, eventId, eventType } = entry;
  const { word, tone } = OUTCOME_WORDS[outcome];
  return {
    title:
      outcome === 'succeeded'
        ? 'Your server took the event'
        : `Your server did not take the event: ${word.toLowerCase()}`,
    tone,
    facts: (
      <Facts>
        <One name="event">{eventLink(scope, eventId, eventType)}</One>
        {responseStatus !== null && (
          <One name="answer">
            <Badge tone={tone}>{responseStatus}</Badge>
          </One>
        )}
        <One name="attempt">{attempt}</One>
        <One name="took">{totalMs} ms</One>
        {nextAt !== null && (
          <One name="next">
            <Time iso={nextAt} />
          </One>
        )}
      </Facts>
    ),
  };
}

function refunded(
  { kind, refund }: DrawingOf<'refund_started'> | DrawingOf<'refund_ended'>,
  { units }: DrawnWith,
): EntryDrawing {
  const { word, tone } = REFUND_WORDS[refund.status];
  const amount = refund.amount === null ? 'A refund' : `A refund of ${units(refund.amount, refund.token)}`;
  return {
    title: kind === 'refund_started' ? `${amount} began` : `${amount}: ${word.toLowerCase()}`,
    tone: kind === 'refund_started' ? 'note' : tone,
    facts: (
      <Facts>
        {refund.to !== null && (
          <One name="to">
            <Copy text={refund.to} label="recipient" />
          </One>
        )}
        {refund.reason !== null && <One name="reason">{refund.reason}</One>}
        {refund.transactionId !== null && <Transaction id={refund.transactionId} url={refund.explorerUrl} />}
        <One name="refund">
          <Copy text={refund.id} label="refund id" />
        </One>
      </Facts>
    ),
  };
}
