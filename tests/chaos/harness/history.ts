// Log of a run, one JSON object per line. Each line is written immediately, so that the log survives a crash.
import { appendFileSync } from 'node:fs';
import { nowMs } from './clock.ts';

export type History = {
  readonly file: string;
  readonly note: (what: string, facts: Readonly<Record<string, unknown>>) => void;
  /** Ends the log. What clients hear afterwards, when the run is judged, is not written. */
  readonly close: () => Promise<void>;
  readonly isOpen: () => boolean;
};

export function openHistory(file: string): History {
  let open = true;
  return {
    file,
    note: (what, facts) => {
      if (open) appendFileSync(file, `${JSON.stringify({ at: nowMs(), what, ...facts })}\n`);
    },
    close: async () => {
      open = false;
    },
    isOpen: () => open,
  };
}
