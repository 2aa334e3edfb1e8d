declare const brand: unique symbol;

/** A string or number that only one function may mint, so that two of them cannot be swapped. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
