// What a command has to say. The same thing twice: as data for programs, as text for people.

export type Outcome = { readonly ok: true; readonly data: unknown; readonly text: string } | Failure;

export type Failure = {
  readonly ok: false;
  /** Stable, for programs. `usage`: the command was called wrongly. */
  readonly code: string;
  /** What is wrong, as a sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
  /** A report that is shown although the command failed. */
  readonly report?: { readonly data: unknown; readonly text: string };
};

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 64;

export const done = (data: unknown, text: string): Outcome => ({ ok: true, data, text });

export const failed = (code: string, message: string, advice?: string): Failure => ({
  ok: false,
  code,
  message,
  ...(advice !== undefined && { advice }),
});

export const misused = (message: string, advice?: string): Failure => failed('usage', message, advice);

export function exitCodeOf(outcome: Outcome): number {
  if (outcome.ok) return 0;
  return outcome.code === 'usage' ? EXIT_USAGE : EXIT_FAILED;
}
