// The part of ICRC-3 that `@icp-sdk/canisters` has no function for, and blocks of a ledger and of its archives in order.
import { Actor, type HttpAgent } from '@icp-sdk/core/agent';
import { IDL } from '@icp-sdk/core/candid';
import type { Principal } from '@icp-sdk/core/principal';
import type { BlockValue } from '../read/block-value.ts';
import { type AskedBlocks, BLOCK_RANGES, BLOCKS_ANSWER, type BlocksAnswer } from '../read/log-candid.ts';

export type LogActor = {
  readonly icrc3_get_blocks: (ranges: readonly AskedBlocks[]) => Promise<BlocksAnswer>;
  readonly icrc3_get_archives: (args: {
    readonly from: [] | [Principal];
  }) => Promise<{ readonly canister_id: Principal; readonly start: bigint; readonly end: bigint }[]>;
  readonly icrc3_get_tip_certificate: () => Promise<
    [] | [{ readonly certificate: Uint8Array; readonly hash_tree: Uint8Array }]
  >;
  readonly icrc3_supported_block_types: () => Promise<{ readonly block_type: string; readonly url: string }[]>;
};

const BLOB = IDL.Vec(IDL.Nat8);

/** `mode` says whether the methods are asked by query or by a replicated call. */
export function openLogActor(agent: HttpAgent, canisterId: Principal, mode: 'query' | 'update' = 'query'): LogActor {
  const annotations = mode === 'query' ? ['query'] : [];
  const archives = IDL.Vec(IDL.Record({ canister_id: IDL.Principal, start: IDL.Nat, end: IDL.Nat }));
  const tip = IDL.Opt(IDL.Record({ certificate: BLOB, hash_tree: BLOB }));
  const types = IDL.Vec(IDL.Record({ block_type: IDL.Text, url: IDL.Text }));
  const service = IDL.Service({
    icrc3_get_blocks: IDL.Func([BLOCK_RANGES], [BLOCKS_ANSWER], annotations),
    icrc3_get_archives: IDL.Func([IDL.Record({ from: IDL.Opt(IDL.Principal) })], [archives], annotations),
    icrc3_get_tip_certificate: IDL.Func([], [tip], annotations),
    icrc3_supported_block_types: IDL.Func([], [types], annotations),
  });
  return Actor.createActor(() => service, { agent, canisterId }) as unknown as LogActor;
}

/** Every block, in order, from the ledger and from the archives that it names. */
export async function allBlocks(agent: HttpAgent, canisterId: Principal): Promise<BlockValue[]> {
  const found = new Map<bigint, BlockValue>();
  let length = 1n;
  for (let start = 0n; start < length; start = BigInt(found.size)) {
    const answer = await openLogActor(agent, canisterId).icrc3_get_blocks([{ start, length: 50n }]);
    length = answer.log_length;
    const older = await Promise.all(
      answer.archived_blocks.map(({ args, callback: [archive] }) =>
        openLogActor(agent, archive).icrc3_get_blocks(args),
      ),
    );
    const before = found.size;
    for (const { id, block } of [answer, ...older].flatMap(({ blocks }) => blocks)) found.set(id, block);
    if (found.size === before) break;
  }
  return Array.from({ length: found.size }, (_, id) => found.get(BigInt(id))).filter((block) => block !== undefined);
}
