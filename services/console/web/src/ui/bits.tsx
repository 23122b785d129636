// Small parts that every page is made of.
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { CallRefusal } from '../api/call.ts';
import { nowMs } from '../clock.ts';
import { short } from '../format/short.ts';
import { compact, exact, relative } from '../format/time.ts';
import { failureWords } from '../words/failures.ts';
import { refusalSentence } from '../words/refusals.ts';
import type { StateWords, Tone } from '../words/states.ts';
import { Icon } from './icon.tsx';

const TICK_MS = 30_000;
const COPIED_MS = 1_600;

/** One clock for all times of the page. It stands still while nobody looks at one. */
let tick = nowMs();
const readers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function onTick(tell: () => void): () => void {
  if (readers.size === 0) tick = nowMs();
  readers.add(tell);
  timer ??= setInterval(() => {
    tick = nowMs();
    for (const reader of readers) reader();
  }, TICK_MS);
  return () => {
    readers.delete(tell);
    if (readers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Renders again now and then, so that relative times stay true. */
export const useNow = (): number => useSyncExternalStore(onTick, () => tick);

/** The exact time on hover; it is printed only then, because a long list shows many. */
export function Time({ iso, plain = false }: { readonly iso: string; readonly plain?: boolean }) {
  const now = useNow();
  return (
    <time
      dateTime={iso}
      className="whitespace-nowrap"
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = exact(iso);
      }}
    >
      {plain ? compact(iso, now) : relative(iso, now)}
    </time>
  );
}

export function Badge({
  tone,
  title,
  children,
}: {
  readonly tone: Tone;
  readonly title?: string;
  readonly children: ReactNode;
}) {
  return (
    <span className={`badge ${tone}`} title={title}>
      {children}
    </span>
  );
}

export const StateBadge = ({ words: { word, why, tone } }: { readonly words: StateWords }) => (
  <Badge tone={tone} title={why}>
    {word}
  </Badge>
);

/** Copies the whole text; `shown` is what stands there. */
export function Copy({
  text,
  shown,
  label,
}: {
  readonly text: string;
  readonly shown?: string;
  readonly label: string;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <button
      type="button"
      className="mono group inline-flex max-w-full items-center gap-1.5 rounded text-left hover:text-accent"
      title={text}
      onClick={copy}
    >
      <span className="min-w-0 truncate">{shown ?? short(text)}</span>
      <span className="sr-only">{copied ? `${label} copied` : `copy ${label}`}</span>
      <Icon name={copied ? 'done' : 'copy'} className="size-3.5 text-soft group-hover:text-accent" />
    </button>
  );
}

export function ExternalLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  // The service writes these addresses; another scheme than http would be a mistake or an attack.
  if (!/^https?:\/\//.test(href)) return <>{children}</>;
  return (
    <a className="link inline-flex items-center gap-1" href={href} target="_blank" rel="noopener noreferrer">
      {children}
      <Icon name="out" className="size-3.5" />
    </a>
  );
}

export function Notice({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  const looks: Readonly<Record<Tone, string>> = {
    good: 'bg-good-wash text-good',
    wait: 'bg-wait-wash text-wait',
    bad: 'bg-bad-wash text-bad',
    note: 'bg-note-wash text-note',
    quiet: 'bg-sunk text-soft',
  };
  return (
    <div role={tone === 'bad' ? 'alert' : 'status'} className={`rounded-lg px-3 py-2 ${looks[tone]}`}>
      {children}
    </div>
  );
}

export function Problem({ of: problem, again }: { readonly of: unknown; readonly again?: () => void }) {
  const refusal = problem instanceof CallRefusal ? problem : undefined;
  const words = refusal && failureWords(refusal.code);
  const told = problem instanceof Error ? problem.message : 'Something failed.';
  const sentence = words ? `${words.what} ${words.todo}` : ((refusal && refusalSentence(refusal.code)) ?? told);
  return (
    <Notice tone="bad">
      <p>{sentence}</p>
      {refusal?.requestId && (
        <p className="mt-1 text-[0.857rem]">
          Request <Copy text={refusal.requestId} label="request id" />
        </p>
      )}
      {again && (
        <button type="button" className="button small mt-2" onClick={again}>
          Try again
        </button>
      )}
    </Notice>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="px-6 py-14 text-center">
      <p className="font-semibold">{title}</p>
      {children && <div className="mx-auto mt-1 max-w-md text-soft">{children}</div>}
    </div>
  );
}

export function Bones({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div role="status" aria-label="Loading" className="grid gap-3 p-4">
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} className={`bone h-4 ${['w-3/4', 'w-1/2', 'w-5/6', 'w-2/3'][index % 4]}`} />
      ))}
    </div>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-w-0 items-baseline justify-between gap-4 py-1.5">
      <dt className="flex-none text-soft">{name}</dt>
      <dd className="min-w-0 text-right break-words">{children}</dd>
    </div>
  );
}

export function Card({
  title,
  action,
  children,
}: {
  readonly title?: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="card min-w-0">
      {title !== undefined && (
        <header className="flex min-h-12 items-center justify-between gap-3 border-b border-line px-4 py-2">
          <h2>{title}</h2>
          {action}
        </header>
      )}
      {children}
    </section>
  );
}

export function Heading({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <header className="mb-5 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1>{title}</h1>
        {about && <p className="mt-1 max-w-2xl text-pretty text-soft">{about}</p>}
      </div>
      {children && <div className="flex flex-wrap gap-2">{children}</div>}
    </header>
  );
}

export const OlderRows = ({ busy, onMore }: { readonly busy: boolean; readonly onMore: () => void }) => (
  <div className="border-t border-line p-3 text-center">
    <button type="button" className="button small" disabled={busy} onClick={onMore}>
      Older ones
    </button>
  </div>
);
