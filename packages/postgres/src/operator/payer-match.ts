// Which rows name a payer. An address in hex has no letter case; any other is what it is.

export type PayerMatch = {
  /** The form to compare with and to show. */
  readonly payer: string;
  /** SQL that is true where `column` is the payer in parameter `$1`. */
  readonly is: (column: string) => string;
  /** SQL that is true where the text in `expression` holds the payer somewhere. */
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
