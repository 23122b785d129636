declare const brand: unique symbol;

/** A `Base` that went through the check of `Name`. Arithmetic on it gives a plain `Base`, to be checked again. */
export type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };
