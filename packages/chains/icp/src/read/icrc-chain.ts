// IcrcChain over the boundary nodes of one network.
import { IDL } from '@icp-sdk/core/candid';
import { Principal } from '@icp-sdk/core/principal';
import {
  accountText,
  type BlocksAt,
  ChainUnavailable,
  type IcrcChain,
  type LedgerFacts,
  TOKENS,
  type TokenBlock,
  type ToldBlocks,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type { BlockValue } from './block-value.ts';
import { type CertifiedCall, type IcpAccess, openCertifiedCalls } from './certified-call.ts';
import { ACCOUNT, type AskedBlocks, BLOCK_RANGES, BLOCKS_ANSWER, type BlocksAnswer } from './log-candid.ts';
import { readBlock } from './read-block.ts';

export function createIcrcChain(network: NetworkId, access: IcpAccess): IcrcChain {
  const call = openCertifiedCalls(access);
  return {
    network,
    ledgers: TOKENS.filter((token) => token.network === network).map(({ address }) => address),
    facts: (ledger) => readFacts(call, Principal.fromText(ledger)),
    blocks: (ledger, start, count) => readBlocks(call, Principal.fromText(ledger), start, count),
    blocksAt: (ledger, indexes) => readBlocksAt(call, Principal.fromText(ledger), indexes),
  };
}

async function readFacts(call: CertifiedCall, ledger: Principal): Promise<LedgerFacts> {
  const ask = <Answer>(method: string, answer: IDL.Type) =>
    call<Answer>(ledger, method, { types: [], values: [], answer });
  const [symbol, decimals, feeAtomic, [minter]] = await Promise.all([
    ask<string>('icrc1_symbol', IDL.Text),
    ask<number>('icrc1_decimals', IDL.Nat8),
    ask<bigint>('icrc1_fee', IDL.Nat),
    ask<readonly { readonly owner: Principal; readonly subaccount: readonly Uint8Array[] }[]>(
      'icrc1_minting_account',
      IDL.Opt(ACCOUNT),
    ),
  ]);
  const mintingAccount =
    minter === undefined ? null : accountText(minter.owner.toUint8Array(), subaccountOf(minter.subaccount[0]));
  return { symbol, decimals, feeAtomic, mintingAccount };
}

const subaccountOf = (bytes: Uint8Array | undefined) => (bytes === undefined ? null : Uint8Array.from(bytes));

/** Archives may name further ones; a chain of more is none of a ledger. */
const MOST_ARCHIVES = 16;

export async function readBlocks(
  call: CertifiedCall,
  ledger: Principal,
  start: bigint,
  count: number,
): Promise<ToldBlocks> {
  const { length, found } = await followArchives(call, ledger, [{ start, length: BigInt(count) }]);
  return { length, blocks: contiguous(found, start, count) };
}

async function readBlocksAt(call: CertifiedCall, ledger: Principal, indexes: readonly bigint[]): Promise<BlocksAt> {
  const ranges = indexes.map((start) => ({ start, length: 1n }));
  const { length, found } = await followArchives(call, ledger, ranges);
  return { length, blocks: new Map([...found].map(([index, block]) => [index, readBlock(index, block)])) };
}

type FoundBlocks = { readonly length: bigint; readonly found: ReadonlyMap<bigint, BlockValue> };

/** Blocks of a ledger and of the archives that it names. An archive tells what it was asked for, and in no other's place. */
async function followArchives(
  call: CertifiedCall,
  ledger: Principal,
  asked: readonly AskedBlocks[],
): Promise<FoundBlocks> {
  const told = await askBlocks(call, ledger, 'icrc3_get_blocks', asked);
  const found = new Map<bigint, BlockValue>();
  const keep = ({ blocks }: BlocksAnswer, ranges: readonly AskedBlocks[]) => {
    for (const { id, block } of blocks)
      if (!found.has(id) && isAsked(id, ranges) && isAsked(id, asked)) found.set(id, block);
  };
  keep(told, asked);
  let open = byArchive(told.archived_blocks);
  for (let followed = 0; open.length > 0; followed += 1) {
    const [next, ...others] = open;
    if (next === undefined) break;
    if (followed >= MOST_ARCHIVES) throw new ChainUnavailable(`${ledger.toText()} names too many archives`);
    const [archive, method] = next.callback;
    const archived = await askBlocks(call, archive, method, next.args);
    keep(archived, next.args);
    open = byArchive([...others, ...archived.archived_blocks]);
  }
  return { length: told.log_length, found };
}

type Archived = BlocksAnswer['archived_blocks'];

/** A ledger may name an archive once for each range. */
function byArchive(archived: Archived): Archived {
  const grouped = new Map<string, Archived[number]>();
  for (const { args, callback } of archived) {
    const key = `${callback[0].toText()} ${callback[1]}`;
    grouped.set(key, { callback, args: [...(grouped.get(key)?.args ?? []), ...args] });
  }
  return [...grouped.values()];
}

const isAsked = (id: bigint, ranges: readonly AskedBlocks[]): boolean =>
  ranges.some(({ start, length }) => id >= start && id < start + length);

function askBlocks(
  call: CertifiedCall,
  canisterId: Principal,
  method: string,
  ranges: readonly AskedBlocks[],
): Promise<BlocksAnswer> {
  return call<BlocksAnswer>(canisterId, method, { types: [BLOCK_RANGES], values: [ranges], answer: BLOCKS_ANSWER });
}

/** A ledger tells as many as fit into an answer: what comes after a gap is asked for again. */
function contiguous(found: ReadonlyMap<bigint, BlockValue>, start: bigint, count: number): readonly TokenBlock[] {
  const blocks: TokenBlock[] = [];
  for (let index = start; index < start + BigInt(count); index += 1n) {
    const block = found.get(index);
    if (block === undefined) break;
    blocks.push(readBlock(index, block));
  }
  return blocks;
}
