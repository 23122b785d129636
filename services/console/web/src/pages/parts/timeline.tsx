// One payment from top to bottom: when, what, and why.
import type { PaymentTimeline } from '@svc-pay/protocol/merchant';
import type { ReactNode } from 'react';
import type { PageScope } from '../../api/scope.ts';
import { exact, since } from '../../format/time.ts';
import { Notice } from '../../ui/bits.tsx';
import { entryWords, whyWords } from '../../words/failures.ts';
import type { Tone } from '../../words/states.ts';
import { drawEntry } from './timeline-entry.tsx';
import type { ShowAmount } from './units.ts';

type TimelineProps = { readonly scope: PageScope; readonly timeline: PaymentTimeline; readonly units: ShowAmount };

export function Timeline({ scope, timeline, units }: TimelineProps) {
  const { entries, truncated } = timeline;
  const startMs = Date.parse(entries[0]?.at ?? timeline.paymentIntent.createdAt);
  const waits = waitsFor(timeline);
  return (
    <>
      <ol className="py-3">
        {entries.map((entry, index) => {
          const { title, tone, facts } = drawEntry(entry, { scope, units, intent: timeline.paymentIntent });
          return (
            <Step
              key={`${entry.kind} ${entry.at} ${index}`}
              at={entry.at}
              startMs={startMs}
              tone={tone}
              title={title}
              isLast={index === entries.length - 1 && waits === undefined}
            >
              {entry.why !== null && <p className="text-soft">{entryWords({ kind: entry.kind, why: entry.why })}</p>}
              {facts}
            </Step>
          );
        })}
        {waits !== undefined && (
          <Step tone="quiet" title={waits} isLast>
            <p className="text-soft">{whyWords(timeline.why)}</p>
          </Step>
        )}
      </ol>
      {truncated && (
        <div className="p-4 pt-0">
          <Notice tone="quiet">There is more than is shown here. The events of the payment have all of it.</Notice>
        </div>
      )}
    </>
  );
}

/** What comes next, where something does. */
function waitsFor({ atRest, why }: PaymentTimeline): string | undefined {
  if (atRest) return undefined;
  const next: Readonly<Record<string, string>> = {
    awaits_payer: 'Waiting for the payer',
    awaits_charge: 'Waiting for your charge',
    awaits_lane: 'Waiting for a relayer',
    awaits_next_try: 'Waiting for the next try',
    awaits_block: 'Waiting for a block',
    awaits_final_block: 'Waiting for the final block',
    awaits_proof: 'Waiting for proof',
    awaits_rest: 'Waiting for the rest',
    awaits_merchant: 'Waiting for you',
    paid: 'Waiting for the final block',
  };
  return next[why];
}

type StepProps = {
  readonly at?: string;
  readonly startMs?: number;
  readonly tone: Tone;
  readonly title: ReactNode;
  readonly isLast: boolean;
  readonly children: ReactNode;
};

const DOTS: Readonly<Record<Tone, string>> = {
  good: 'bg-good border-good',
  wait: 'bg-wait border-wait',
  bad: 'bg-bad border-bad',
  note: 'bg-card border-accent',
  quiet: 'bg-card border-edge border-dashed',
};

function Step({ at, startMs = 0, tone, title, isLast, children }: StepProps) {
  return (
    <li className="grid grid-cols-[4.6rem_1.1rem_minmax(0,1fr)] gap-x-2.5 px-4">
      <span className="pt-0.5 text-right text-[0.786rem] text-soft">
        {at !== undefined && (
          <time dateTime={at} title={exact(at)}>
            {since(Date.parse(at) - startMs)}
          </time>
        )}
      </span>
      <span aria-hidden="true" className="relative flex justify-center">
        {!isLast && <span className="absolute top-3 -bottom-2 w-px bg-line" />}
        <span className={`relative mt-1.5 size-2.5 rounded-full border-2 ${DOTS[tone]}`} />
      </span>
      <div className="min-w-0 pb-5">
        <h3 className={at === undefined ? 'text-soft' : ''}>{title}</h3>
        {children}
      </div>
    </li>
  );
}
