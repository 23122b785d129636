import type { Outcome } from './outcome.ts';

export function answerJson(body: unknown): Extract<Outcome, { answer: unknown }> {
  return {
    ok: true,
    replayed: false,
    answer: { status: 200, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(body) },
  };
}
