import type { RouteOutcome } from './outcome.ts';

export function answerJson(body: unknown, status = 200): Extract<RouteOutcome, { answer: unknown }> {
  return {
    ok: true,
    replayed: false,
    answer: { status, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(body) },
  };
}
