// Addresses of transactions in the block explorers that the operator configured.
import type { NetworkId } from '@svc-pay/protocol';
import { readBlockName } from './block-name.ts';

/** Stands for the transaction's id in the address of an explorer. */
const TRANSACTION_PLACEHOLDER = '{transactionId}';

export type ExplorerUrls = ReadonlyMap<NetworkId, string>;

// One value of the process and no parameter: every event and every answer names the same explorer, and the stores that write
// events would only pass it on.
let configured: ExplorerUrls = new Map();

/** Called once, where a process starts. Each value has its placeholders: those of a block where transactions are blocks. */
export function useExplorers(urls: ExplorerUrls): void {
  configured = urls;
}

/** Null where the operator configured none, or before there is a transaction. */
export function explorerUrlOf(network: NetworkId, transactionId: string | null): string | null {
  const url = transactionId === null ? undefined : configured.get(network);
  if (url === undefined || transactionId === null) return null;
  const block = readBlockName(transactionId);
  return block === undefined
    ? url.replaceAll(TRANSACTION_PLACEHOLDER, encodeURIComponent(transactionId))
    : url.replaceAll('{ledger}', block.ledger).replaceAll('{blockIndex}', block.index.toString());
}
