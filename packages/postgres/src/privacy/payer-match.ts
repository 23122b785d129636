// SQL conditions for rows that name a payer. Hex addresses are compared without case, all others exactly.

export type PayerMatch = {
  /** Normalized payer, to compare with and to show. */
  readonly payer: string;
  /** SQL that is true where `column` is the payer in parameter `$1`. */
  readonly is: (column: string) => string;
  /** SQL that is true where the text in `expression` contains the payer. */
  readonly isIn: (expression: string) => string;
};

export function payerMatch(given: string): PayerMatch {
  if (!/^0x[0-9a-f]+$/i.test(given)) {
    return {
      payer: given,
      is: (column) => `${column} = $1`,
      isIn: (expression) => `position($1 in ${expression}) > 0`,
    };
  }
  return {
    payer: given.toLowerCase(),
    is: (column) => `lower(${column}) = $1`,
    isIn: (expression) => `position($1 in lower(${expression})) > 0`,
  };
}
