declare const brand: unique symbol;

/** A `Base` that passed the check of `Name`. Arithmetic on it gives a plain `Base`, which must be checked again. */
export type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };
