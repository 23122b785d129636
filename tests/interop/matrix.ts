// What the interop tests saw, as rows of the page docs/reference/x402-matrix.md. A file of tests keeps its rows in
// results/<name>.json, which is committed; a run that sees something else is red.
import path from 'node:path';
import { expect } from 'vitest';

type MatrixRow = {
  /** Package of the buyer, with its major version of the protocol. */
  readonly client: string;
  /** Package of the seller; `our intents` where the buyer pays us. */
  readonly seller: string;
  readonly chain: string;
  /** In words: `paid`, or what is not supported and why. */
  readonly outcome: string;
};

export type Matrix = {
  readonly add: (row: MatrixRow) => void;
  /** To be awaited when every test of the file is done. */
  readonly expectAsCommitted: () => Promise<void>;
};

export function createMatrix(name: string): Matrix {
  const rows: MatrixRow[] = [];
  return {
    add: (row) => {
      rows.push(row);
    },
    expectAsCommitted: async () => {
      const sorted = rows.toSorted((one, other) => textOf(one).localeCompare(textOf(other)));
      const file = path.join(import.meta.dirname, 'results', `${name}.json`);
      await expect(`${JSON.stringify(sorted, null, 2)}\n`).toMatchFileSnapshot(file);
    },
  };
}

const textOf = ({ seller, client, chain }: MatrixRow) => `${seller} ${client} ${chain}`;
