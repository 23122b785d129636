/** What the clocks of a subnet and of the API may differ by. */
const CLOCK_DIFFERENCE_MS = 60_000;

/**
 * The money was there before the intent, so it can't be for it. Codes are counted up: whoever guesses the next one could send
 * money with its memo, get it back from the merchant, and name the old block for the intent that gets the code.
 */
export const precedesIntent = (blockTimeMs: number, intentCreatedAtMs: number): boolean =>
  blockTimeMs < intentCreatedAtMs - CLOCK_DIFFERENCE_MS;
