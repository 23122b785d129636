// Many reads in one `eth_call`: whether an address has code, and views of contracts that answer one word. The call is the
// creation code of `GroupedReads`, which asks them all at one block and is not deployed. What does not fit into that form, what
// its target did not answer, and the code of an address that has some, is asked by itself, as if there were no group.
import { encodeDeployData, type Hex } from 'viem';
import { groupedReadsAbi } from '../generated/grouped-reads-abi.ts';
import { groupedReadsBytecode } from '../generated/grouped-reads-bytecode.ts';
import type { JsonRpc, RpcAnswer, RpcCall } from './rpc-call.ts';

/** Reads of one `eth_call`: three for each of 64 payments. They fit into the code that a node lets a call create. */
const MOST_READS = 192;
/** A node that refuses a group is asked in smaller ones, and if it refuses so few, without groups. */
const FEWEST_READS = 24;
const LIMITED_MS = 600_000;
/** Calls of one request, if they are not grouped. */
const MOST_CALLS = 100;
/** A byte and a word. */
const ANSWER_CHARACTERS = 66;

type Read = { readonly call: RpcCall; readonly kind: 'code' | 'view'; readonly packed: string };

export function groupReads(rpc: JsonRpc, nowMs: () => number = () => performance.now()): JsonRpc {
  const limit = { reads: MOST_READS, untilMs: Number.NEGATIVE_INFINITY };
  const refused = (reads: number) => {
    limit.reads = reads > FEWEST_READS ? Math.max(FEWEST_READS, Math.floor(reads / 4)) : 0;
    limit.untilMs = nowMs() + LIMITED_MS;
  };
  return async (calls) => {
    const mostReads = nowMs() < limit.untilMs ? limit.reads : MOST_READS;
    const reads = calls.flatMap(readOf);
    if (reads.length < 2 || mostReads === 0) return askInPages(rpc, calls);
    const known = new Map<RpcCall, RpcAnswer>();
    const grouped = new Set(reads.map(({ call }) => call));
    // What is not grouped goes first: a block number must not be above the block of what is read.
    const others = [...new Set(calls)].filter((call) => !grouped.has(call));
    const groups = pagesOf(reads, mostReads);
    const answers = await askInPages(rpc, [...others, ...groups.map(groupCall)]);
    for (const [index, call] of others.entries()) keep(known, call, answers[index]);
    for (const [index, group] of groups.entries()) {
      const words = wordsOf(answers[others.length + index], group.length);
      if (words === undefined) refused(group.length);
      else for (const [at, { call, kind }] of group.entries()) keep(known, call, answerOf(kind, words[at]));
    }
    const left = [...grouped].filter((call) => !known.has(call));
    const alone = await askInPages(rpc, left);
    for (const [index, call] of left.entries()) keep(known, call, alone[index]);
    return calls.flatMap((call) => known.get(call) ?? []);
  };
}

function keep(known: Map<RpcCall, RpcAnswer>, call: RpcCall, answer: RpcAnswer | undefined): void {
  if (answer !== undefined) known.set(call, answer);
}

/** None if the call is of another form. */
function readOf(call: RpcCall): Read[] {
  const { method, params } = call;
  if (params.length !== 2 || params[1] !== 'latest') return [];
  if (method === 'eth_getCode' && isAddress(params[0]))
    return [{ call, kind: 'code', packed: `${params[0].slice(2)}0000` }];
  if (method !== 'eth_call' || typeof params[0] !== 'object' || params[0] === null) return [];
  const { to, data, ...others } = params[0] as Record<string, unknown>;
  if (Object.keys(others).length > 0 || !isAddress(to) || !isData(data)) return [];
  const size = (data.length / 2 - 1).toString(16).padStart(4, '0');
  return [{ call, kind: 'view', packed: `${to.slice(2)}${size}${data.slice(2)}` }];
}

const isAddress = (value: unknown): value is string => typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value);
/** At most 128 bytes: a selector and three words. */
const isData = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 2 && value.length <= 258 && /^0x(?:[0-9a-f]{2})+$/i.test(value);

function groupCall(reads: readonly Read[]): RpcCall {
  const packed: Hex = `0x${reads.map(({ packed: read }) => read).join('')}`;
  const data = encodeDeployData({ abi: groupedReadsAbi, bytecode: groupedReadsBytecode, args: [packed] });
  return { method: 'eth_call', params: [{ data }, 'latest'] };
}

/** For each read a byte and a word, as hex; undefined when the node did not run the group. */
function wordsOf(answer: RpcAnswer | undefined, count: number): readonly string[] | undefined {
  if (answer?.ok !== true || typeof answer.result !== 'string') return undefined;
  const text = answer.result.toLowerCase();
  if (!/^0x01[0-9a-f]*$/.test(text) || text.length !== 4 + count * ANSWER_CHARACTERS) return undefined;
  return Array.from({ length: count }, (_, at) =>
    text.slice(4 + at * ANSWER_CHARACTERS, 4 + (at + 1) * ANSWER_CHARACTERS),
  );
}

/** Undefined when the group has no answer to the read. */
function answerOf(kind: Read['kind'], word: string | undefined): RpcAnswer | undefined {
  const flag = word?.slice(0, 2);
  if (kind === 'code') return flag === '00' ? { ok: true, result: '0x' } : undefined;
  return flag === '01' ? { ok: true, result: `0x${word?.slice(2)}` } : undefined;
}

async function askInPages(rpc: JsonRpc, calls: readonly RpcCall[]): Promise<readonly RpcAnswer[]> {
  if (calls.length <= MOST_CALLS) return calls.length === 0 ? [] : rpc(calls);
  const pages = await Promise.all(pagesOf(calls, MOST_CALLS).map(rpc));
  return pages.flat();
}

function pagesOf<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, page) =>
    items.slice(page * size, (page + 1) * size),
  );
}
