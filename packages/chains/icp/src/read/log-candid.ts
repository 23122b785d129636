// Candid of the block log of a token ledger and of its archives (ICRC-3).
import { IDL } from '@icp-sdk/core/candid';
import type { Principal } from '@icp-sdk/core/principal';
import type { BlockValue } from './block-value.ts';

export type AskedBlocks = { readonly start: bigint; readonly length: bigint };

export type BlocksAnswer = {
  readonly log_length: bigint;
  readonly blocks: readonly { readonly id: bigint; readonly block: BlockValue }[];
  readonly archived_blocks: readonly {
    readonly args: readonly AskedBlocks[];
    readonly callback: readonly [Principal, string];
  }[];
};

const BLOB = IDL.Vec(IDL.Nat8);

const VALUE = IDL.Rec();
VALUE.fill(
  IDL.Variant({
    Blob: BLOB,
    Text: IDL.Text,
    Nat: IDL.Nat,
    Int: IDL.Int,
    Array: IDL.Vec(VALUE),
    Map: IDL.Vec(IDL.Tuple(IDL.Text, VALUE)),
  }),
);

export const BLOCK_RANGES = IDL.Vec(IDL.Record({ start: IDL.Nat, length: IDL.Nat }));

export const BLOCKS_ANSWER = IDL.Rec();
BLOCKS_ANSWER.fill(
  IDL.Record({
    log_length: IDL.Nat,
    blocks: IDL.Vec(IDL.Record({ id: IDL.Nat, block: VALUE })),
    archived_blocks: IDL.Vec(
      IDL.Record({ args: BLOCK_RANGES, callback: IDL.Func([BLOCK_RANGES], [BLOCKS_ANSWER], ['query']) }),
    ),
  }),
);

export const ACCOUNT = IDL.Record({ owner: IDL.Principal, subaccount: IDL.Opt(BLOB) });
