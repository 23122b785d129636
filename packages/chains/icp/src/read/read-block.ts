// Reads a block of a token ledger. Only transfers count: what a block says beside that is for others.
import { accountText, type IcrcAccount, type TokenBlock, type TokenTransfer } from '@svc-pay/core';
import { type BlockValue, fieldOf, hashOfBlock } from './block-value.ts';

/** A transfer, and one by allowance. */
const TRANSFER_TYPES: ReadonlySet<string> = new Set(['1xfer', '2xfer']);
/** Ledgers from before ICRC-3 name the operation in the transaction. */
const TRANSFER_OPERATION = 'xfer';

export function readBlock(index: bigint, block: BlockValue): TokenBlock {
  return {
    index,
    hash: new Uint8Array(hashOfBlock(block)),
    parentHash: blobOf(fieldOf(block, 'phash')) ?? null,
    timestampNs: naturalOf(fieldOf(block, 'ts')) ?? 0n,
    transfer: transferIn(block) ?? null,
  };
}

function transferIn(block: BlockValue): TokenTransfer | undefined {
  const transaction = fieldOf(block, 'tx');
  if (!isTransfer(fieldOf(block, 'btype'), fieldOf(transaction, 'op'))) return undefined;
  const [from, to] = [accountOf(fieldOf(transaction, 'from')), accountOf(fieldOf(transaction, 'to'))];
  const amountAtomic = naturalOf(fieldOf(transaction, 'amt'));
  if (from === undefined || to === undefined || amountAtomic === undefined) return undefined;
  return { from, to, amountAtomic, memo: blobOf(fieldOf(transaction, 'memo')) ?? null };
}

/** The type of the block decides; the operation only where it has none. */
function isTransfer(type: BlockValue | undefined, operation: BlockValue | undefined): boolean {
  if (type !== undefined) return 'Text' in type && TRANSFER_TYPES.has(type.Text);
  return operation !== undefined && 'Text' in operation && operation.Text === TRANSFER_OPERATION;
}

const MOST_PRINCIPAL_BYTES = 29;
const SUBACCOUNT_BYTES = 32;

function accountOf(value: BlockValue | undefined): IcrcAccount | undefined {
  if (value === undefined || !('Array' in value) || value.Array.length > 2) return undefined;
  const [owner, subaccount] = value.Array.map(blobOf);
  if (owner === undefined || owner.length > MOST_PRINCIPAL_BYTES) return undefined;
  if (value.Array.length === 1) return accountText(owner, null);
  return subaccount?.length === SUBACCOUNT_BYTES ? accountText(owner, subaccount) : undefined;
}

function blobOf(value: BlockValue | undefined): Uint8Array | undefined {
  return value !== undefined && 'Blob' in value ? Uint8Array.from(value.Blob) : undefined;
}

function naturalOf(value: BlockValue | undefined): bigint | undefined {
  return value !== undefined && 'Nat' in value ? value.Nat : undefined;
}
