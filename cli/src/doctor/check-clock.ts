import { type Finding, findingsOf } from './finding.ts';

const NOTICEABLE_MS = 1_000;
const HARMFUL_MS = 5_000;

/** Compares a remote clock that was read between our `beforeMs` and `afterMs`: only a time outside of these is skew. */
export function checkClock(
  area: Finding['area'],
  subject: string,
  theirsMs: number,
  beforeMs: number,
  afterMs: number,
): Finding {
  const { ok, warning, problem } = findingsOf(area, subject);
  const skewMs = Math.max(beforeMs - theirsMs, theirsMs - afterMs, 0);
  const words = `The clocks of this machine and the ${area} differ by ${(skewMs / 1_000).toFixed(1)} s`;
  const advice = 'Let both machines keep time by NTP.';
  if (skewMs < NOTICEABLE_MS) return ok('The clocks agree.');
  return skewMs < HARMFUL_MS
    ? warning(`${words}.`, advice)
    : problem(`${words}: intents and keys end at the wrong time.`, advice);
}
