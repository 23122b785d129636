import type { Outcome } from '../output/outcome.ts';
import type { Paint } from '../output/paint.ts';

export type Printed = { readonly stdout: string; readonly stderr: string };

/** In JSON there is one document on standard output whatever happened; in words, results and complaints stay apart. */
export function printOutcome(outcome: Outcome, json: boolean, errorPaint: Paint): Printed {
  if (json) return { stdout: `${JSON.stringify(documentOf(outcome), null, 2)}\n`, stderr: '' };
  if (outcome.ok) return { stdout: `${outcome.text}\n`, stderr: '' };
  const advice = outcome.advice === undefined ? '' : `${outcome.advice}\n`;
  return {
    stdout: outcome.report === undefined ? '' : `${outcome.report.text}\n`,
    stderr: `${errorPaint.bad(outcome.message)}\n${advice}`,
  };
}

function documentOf(outcome: Outcome): unknown {
  if (outcome.ok) return outcome.data;
  if (outcome.report !== undefined) return outcome.report.data;
  const { code, message, advice } = outcome;
  return { error: code, message, advice: advice ?? null };
}
