// Clients with two APIs to ask. Who was cut off because its API was killed asks the other one and is answered; any other
// answer that is not good is one too many.
import type { CaseFile, Violation } from './case-file.ts';

const GOOD: ReadonlyMap<string, number> = new Map([['create', 402]]);
const LATE_MS = 500;

export function checkClients({ run }: CaseFile): readonly Violation[] {
  const kills = run.faults.filter(({ kind }) => kind === 'api killed');
  const wrong = (journey: number, call: string, text: string): Violation => ({
    rule: 'clients',
    text: `journey ${journey}: ${call} ${text}`,
  });
  return run.calls.flatMap(({ journey, call, attempt, askedAt, at, http }) => {
    if (http === (GOOD.get(call) ?? 200)) return [];
    if (http !== null) return [wrong(journey, call, `was answered ${http}`)];
    if (attempt > 0) return [wrong(journey, call, 'was not answered by the other API either')];
    const cut = kills.some(({ fromMs, untilMs }) => askedAt <= untilMs + LATE_MS && at >= fromMs - LATE_MS);
    return cut ? [] : [wrong(journey, call, `was not answered for ${at - askedAt} ms, and no API was killed then`)];
  });
}
