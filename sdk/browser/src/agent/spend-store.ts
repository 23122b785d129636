import type { BookChange, SpendBook } from './spend-book.ts';

/** Where an agent's limits live. `fileSpendStore` is one; a database with a row lock or a version is another. */
export type SpendStore = {
  /**
   * Applies the change to the newest book and keeps the result before it resolves, so that it survives a crash. Two
   * changes never start from the same book, also not those of two processes. `change` may be called several times; when it
   * returns the book it was given, nothing is written. The first book is `EMPTY_BOOK`.
   */
  readonly update: <Result>(change: (book: SpendBook) => BookChange<Result>) => Promise<Result>;
};
