// One step of the sealer. Safe to run twice and from several places: the port locks the account's chain.
import { type AuditEntry, type SealedEntry, sealEntries } from './audit-entry.ts';

export type SealAuditPorts = {
  /**
   * Within one transaction that holds the account's chain: reads the last sealed entry and up to `limit` unsealed ones in
   * the order they were written, lets `seal` link them, stores the result. Returns how many were sealed.
   */
  readonly sealUnsealed: (
    accountId: string,
    limit: number,
    seal: (
      entries: readonly AuditEntry[],
      last: { readonly sequence: bigint; readonly hash: Uint8Array },
    ) => readonly SealedEntry[],
  ) => Promise<number>;
};

/** Seals what is there now; returns how many entries were linked. */
export async function sealAudit(ports: SealAuditPorts, accountId: string, batchSize = 500): Promise<number> {
  let sealed = 0;
  for (;;) {
    const count = await ports.sealUnsealed(accountId, batchSize, sealEntries);
    sealed += count;
    if (count < batchSize) return sealed;
  }
}
