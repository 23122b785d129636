import type { Outcome } from './outcome.ts';

export function answerJson(body: unknown, status = 200): Extract<Outcome, { answer: unknown }> {
  return {
    ok: true,
    replayed: false,
    answer: { status, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(body) },
  };
}
