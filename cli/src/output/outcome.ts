// Outcome of a command, in two forms: data for programs, text for people.
import { EXIT_FAILED, EXIT_USAGE } from '@svc-pay/runtime/terminal/exit-codes';

export type CommandOutcome = { readonly ok: true; readonly data: unknown; readonly text: string } | Failure;

export type Failure = {
  readonly ok: false;
  /** Stable code for programs. `usage`: the command was called wrongly. */
  readonly code: string;
  /** Describes the problem as a sentence. */
  readonly message: string;
  /** Tells what to do about it. */
  readonly advice?: string;
  /** Report that is printed although the command failed. */
  readonly report?: { readonly data: unknown; readonly text: string };
};

export const done = (data: unknown, text: string): CommandOutcome => ({ ok: true, data, text });

export const failed = (code: string, message: string, advice?: string): Failure => ({
  ok: false,
  code,
  message,
  ...(advice !== undefined && { advice }),
});

export const misused = (message: string, advice?: string): Failure => failed('usage', message, advice);

export function exitCodeOf(outcome: CommandOutcome): number {
  if (outcome.ok) return 0;
  return outcome.code === 'usage' ? EXIT_USAGE : EXIT_FAILED;
}
