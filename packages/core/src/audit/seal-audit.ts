// One step of the audit sealer. Safe to run twice and in several processes: the port locks the account's chain.
import { type AuditEntry, type SealedEntry, sealEntries } from './audit-entry.ts';

export type SealAuditPorts = {
  /**
   * In one transaction that locks the account's chain: reads the last sealed entry and up to `limit` unsealed ones in
   * write order, lets `seal` link them, and stores the result. Returns the number of sealed entries.
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

/** Seals all unsealed entries; returns their number. */
export async function sealAudit(ports: SealAuditPorts, accountId: string, batchSize = 500): Promise<number> {
  let sealed = 0;
  for (;;) {
    const count = await ports.sealUnsealed(accountId, batchSize, sealEntries);
    sealed += count;
    if (count < batchSize) return sealed;
  }
}
