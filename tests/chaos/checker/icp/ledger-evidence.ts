// What blocks of a token ledger say happened. They come as the canister answered them.
import { accountIn } from './principal-text.ts';

/** A value of which blocks are made, as Candid has it. */
type BlockValue =
  | { readonly Blob: Iterable<number> }
  | { readonly Text: string }
  | { readonly Nat: bigint }
  | { readonly Int: bigint }
  | { readonly Array: readonly BlockValue[] }
  | { readonly Map: readonly (readonly [string, BlockValue])[] };

export type RawBlock = { readonly id: bigint; readonly block: BlockValue };

export type LedgerTransfer = {
  readonly index: bigint;
  /** `<ledger>:<index>`. */
  readonly name: string;
  /** Accounts in their textual form. */
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly memo: string;
};

export const transfersIn = (ledger: string, blocks: readonly RawBlock[]): readonly LedgerTransfer[] =>
  blocks.flatMap(({ id, block }) => transferIn(id, `${ledger}:${id}`, block) ?? []);

function transferIn(index: bigint, name: string, block: BlockValue): LedgerTransfer | undefined {
  const transaction = field(block, 'tx');
  const operation = field(transaction, 'op');
  if (operation === undefined || !('Text' in operation) || operation.Text !== 'xfer') return undefined;
  const [from, to] = [ownerIn(field(transaction, 'from')), ownerIn(field(transaction, 'to'))];
  const [amount, memo] = [field(transaction, 'amt'), field(transaction, 'memo')];
  return {
    index,
    name,
    from,
    to,
    amount: amount !== undefined && 'Nat' in amount ? amount.Nat : 0n,
    memo: memo === undefined ? '' : Buffer.from(bytesIn(memo)).toString('latin1'),
  };
}

const field = (value: BlockValue | undefined, name: string): BlockValue | undefined =>
  value !== undefined && 'Map' in value ? value.Map.find(([key]) => key === name)?.[1] : undefined;

const bytesIn = (value: BlockValue | undefined): Uint8Array =>
  value !== undefined && 'Blob' in value ? Uint8Array.from(value.Blob) : new Uint8Array();

/** Nobody here has a subaccount. */
function ownerIn(value: BlockValue | undefined): string {
  const parts = value !== undefined && 'Array' in value ? value.Array : [];
  return parts.length === 1 ? accountIn(bytesIn(parts[0])) : `${parts.length} parts`;
}
