// Audit record of actions by people and keys; a change of it is detectable. Rows are written in the transaction of the
// action and linked afterwards, per account: each hash covers the entry, its sequence and the hash before it.
import { createHash } from 'node:crypto';

export type AuditEntry = {
  readonly id: string;
  readonly accountId: string;
  readonly mode: string;
  /** `key:<id>`, for a key of a session `key:<id>/person:<id>`, `operator:<id>`, `person:<id>` or `service:<name>`. */
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  /** JSON text, exactly as stored. Never a secret. */
  readonly detail: string;
  readonly createdAtMs: number;
};

export type SealedEntry = AuditEntry & {
  readonly sequence: bigint;
  readonly previousHash: Uint8Array;
  readonly hash: Uint8Array;
};

export const FIRST_PREVIOUS_HASH = new Uint8Array(32);

/** Hashes a list, not an object: the field order is part of the hash. */
export function hashEntry(entry: AuditEntry, sequence: bigint, previousHash: Uint8Array): Uint8Array {
  const { id, accountId, mode, actor, action, target, detail, createdAtMs } = entry;
  const fields = [sequence.toString(), id, accountId, mode, actor, action, target, detail, createdAtMs];
  return createHash('sha256').update(previousHash).update(JSON.stringify(fields)).digest();
}

/** Links entries after the last sealed one, in the order given. */
export function sealEntries(
  entries: readonly AuditEntry[],
  last: { readonly sequence: bigint; readonly hash: Uint8Array },
): readonly SealedEntry[] {
  let { sequence, hash: previousHash } = last;
  return entries.map((entry) => {
    sequence += 1n;
    const hash = hashEntry(entry, sequence, previousHash);
    const sealed = { ...entry, sequence, previousHash, hash };
    previousHash = hash;
    return sealed;
  });
}

export type ChainFault = { readonly sequence: bigint; readonly id: string; readonly fault: 'gap' | 'link' | 'content' };

/** The first entry with a wrong sequence, link or content; undefined when the chain is intact. */
export function verifyChain(
  entries: readonly SealedEntry[],
  last: { readonly sequence: bigint; readonly hash: Uint8Array } = { sequence: 0n, hash: FIRST_PREVIOUS_HASH },
): ChainFault | undefined {
  let expected = last;
  for (const entry of entries) {
    const { sequence, id } = entry;
    if (sequence !== expected.sequence + 1n) return { sequence, id, fault: 'gap' };
    if (!sameBytes(entry.previousHash, expected.hash)) return { sequence, id, fault: 'link' };
    const hash = hashEntry(entry, sequence, entry.previousHash);
    if (!sameBytes(hash, entry.hash)) return { sequence, id, fault: 'content' };
    expected = { sequence, hash };
  }
  return undefined;
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
