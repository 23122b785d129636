// What a run did, one JSON object a line, written at once: it is read after a crash as well as after an end.
import { appendFileSync } from 'node:fs';
import { nowMs } from './clock.ts';

export type History = {
  readonly file: string;
  readonly note: (what: string, facts: Readonly<Record<string, unknown>>) => void;
};

export function openHistory(file: string): History {
  return {
    file,
    note: (what, facts) => appendFileSync(file, `${JSON.stringify({ at: nowMs(), what, ...facts })}\n`),
  };
}
