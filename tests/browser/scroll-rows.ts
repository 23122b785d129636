// Scrolls a list of the console in Chromium from its first row on, and tells what that took: rows in the page, requests, and
// the tasks of the page's main thread by Chromium's own trace.
import { loadavg } from 'node:os';
import type { CDPSession, Page } from 'playwright-core';

const LIST = /\/sdk\/(?:payments|payment-intents)\?/;
const MOST_STEPS = 20_000;
const CATEGORIES = ['toplevel', '__metadata'];

export type ScrolledList = {
  readonly rows: number;
  readonly mostMounted: number;
  readonly requests: number;
  /** The longest task: by the clock, and by the processor, which no other process of the machine makes longer. */
  readonly longestMs: number;
  readonly longestCpuMs: number;
  readonly tasks: number;
  /** What the page reports instead of rows, or null. */
  readonly trouble: string | null;
  readonly tookMs: number;
  /** Processes that waited for a processor in the last minute. */
  readonly load: number;
};

/** A step is almost a screen, and comes with each frame that is drawn. */
export async function scrollRows(page: Page, rows: number): Promise<ScrolledList> {
  const asked: string[] = [];
  const listen = (request: { url: () => string }) => void asked.push(request.url());
  page.on('request', listen);
  const cdp = await page.context().newCDPSession(page);
  const stopTrace = await traceTasks(cdp);
  const startMs = Date.now();
  const seen = await page.evaluate(stepThrough, { rows, most: MOST_STEPS });
  const tookMs = Date.now() - startMs;
  const tasks = await stopTrace();
  await cdp.detach();
  page.off('request', listen);
  // The first page came before, and rows that are newer are looked for apart.
  const pages = asked.filter((url) => LIST.test(url) && !url.includes('before='));
  return { ...seen, ...tasks, requests: pages.length + 1, tookMs, load: Math.round((loadavg()[0] ?? 0) * 10) / 10 };
}

async function stepThrough({ rows, most }: { readonly rows: number; readonly most: number }) {
  const seen = { rows: 0, mostMounted: 0, trouble: null as string | null };
  const box = document.querySelector('.list-box');
  const mounted = document.getElementsByClassName('list-row');
  if (box === null) throw new Error('there is no list');
  const step = box.clientHeight - 200;
  for (let steps = 0; steps < most && seen.rows < rows && seen.trouble === null; steps += 1) {
    box.scrollTop += step;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    seen.mostMounted = Math.max(seen.mostMounted, mounted.length);
    const last = Number(mounted[mounted.length - 1]?.getAttribute('aria-rowindex') ?? 0) - 1;
    seen.rows = Math.max(seen.rows, Math.min(last, rows));
    seen.trouble = document.querySelector('[role="alert"]')?.textContent ?? null;
  }
  return seen;
}

type TraceEvent = {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
};

async function traceTasks(cdp: CDPSession) {
  const events: TraceEvent[] = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await cdp.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES },
  });
  return async () => {
    const done = new Promise<void>((resolve) => void cdp.once('Tracing.tracingComplete', () => resolve()));
    await cdp.send('Tracing.end');
    await done;
    const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
    const mains = new Set(
      events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf),
    );
    const tasks = events.filter(
      (event) => event.ph === 'X' && event.name.endsWith('RunTask') && mains.has(threadOf(event)),
    );
    const longest = (of: (event: TraceEvent) => number | undefined) =>
      Math.round(tasks.reduce((most, event) => Math.max(most, of(event) ?? 0), 0) / 1_000);
    return { tasks: tasks.length, longestMs: longest(({ dur }) => dur), longestCpuMs: longest(({ tdur }) => tdur) };
  };
}
