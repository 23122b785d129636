// Log of a run, one JSON object per line. Each line is written immediately, so that the log survives a crash.
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
