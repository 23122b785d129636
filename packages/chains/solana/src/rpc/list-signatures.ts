import type { SignatureAnswer } from './answer-shapes.ts';
import type { SolanaNode } from './solana-node.ts';

export type SignatureQuestion = {
  /** The address that the transactions name. */
  readonly reference: string;
  /** Only what is newer than this transaction. */
  readonly after: string | null;
  /** The most answers that are read. One has up to 1,000 signatures. */
  readonly pages: number;
  readonly commitment?: 'confirmed' | 'finalized';
};

type SignatureList = {
  readonly entries: readonly SignatureAnswer[];
  /** False: there are more than are read. */
  readonly isWhole: boolean;
};

/** What one node lists of an address, newest first. Nodes may tell fewer than asked for, so only an empty page is the end. */
export async function listSignatures(
  node: SolanaNode,
  { reference, after, pages, commitment }: SignatureQuestion,
): Promise<SignatureList> {
  const entries: SignatureAnswer[] = [];
  for (let page = 0; page < pages; page += 1) {
    const told = await node.signatures(reference, entries.at(-1)?.signature, after ?? undefined, commitment);
    if (told.length === 0) return { entries, isWhole: true };
    entries.push(...told);
  }
  return { entries, isWhole: false };
}
