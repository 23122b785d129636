// Of the reads that go into one request equal ones are asked once, and those of accounts as one read of all their addresses:
// payments of one moment mostly name the same mint and the same recipients. Each caller gets what it asked for, as the node
// told it.
import { bytesOfBase58 } from '../bytes/base58.ts';
import { printExact } from './exact-json.ts';
import type { SolanaAnswer } from './rpc-answer.ts';

export type SolanaCall = { readonly method: string; readonly params: readonly unknown[] };
type AccountRead = readonly [addresses: readonly string[], config: unknown];

/** The most accounts that a node tells in one answer. */
const MOST_ACCOUNTS = 100;
const ADDRESS_BYTES = 32;
/** Of an address in base58. */
const MOST_CHARACTERS = 44;
const METHOD = 'getMultipleAccounts';

export type MergedCall<Call extends SolanaCall> = SolanaCall & {
  /** Whose questions it answers. */
  readonly askers: readonly Call[];
};

export function mergeReads<Call extends SolanaCall>(calls: readonly Call[]): readonly MergedCall<Call>[] {
  const [reads, others] = [calls.filter(isAccountRead), calls.filter((call) => !isAccountRead(call))];
  const equal = Map.groupBy(others, ({ method, params }) => printExact([method, params]));
  const alike = Map.groupBy(reads, ({ params }) => printExact(params[1]));
  return [...[...equal.values()].map(mergeEqual), ...[...alike.values()].flatMap(mergeAlike)];
}

function mergeEqual<Call extends SolanaCall>(askers: readonly Call[]): MergedCall<Call> {
  const [{ method, params } = NONE] = askers;
  return { method, params, askers };
}

const NONE: SolanaCall = { method: '', params: [] };

/** A node refuses the whole question for one malformed address: that one is asked for by itself. */
const isAccountRead = ({ method, params: [addresses] }: SolanaCall): boolean =>
  method === METHOD && Array.isArray(addresses) && addresses.length <= MOST_ACCOUNTS && addresses.every(isAddress);

const isAddress = (text: unknown): boolean =>
  typeof text === 'string' && text.length <= MOST_CHARACTERS && bytesOfBase58(text)?.length === ADDRESS_BYTES;

function mergeAlike<Call extends SolanaCall>(calls: readonly Call[]): readonly MergedCall<Call>[] {
  const groups: { readonly addresses: Set<string>; readonly askers: Call[] }[] = [];
  for (const call of calls) {
    const wanted = addressesIn(call);
    const last = groups.at(-1);
    const missing = wanted.filter((address) => last?.addresses.has(address) !== true);
    if (last !== undefined && last.addresses.size + missing.length <= MOST_ACCOUNTS) {
      for (const address of missing) last.addresses.add(address);
      last.askers.push(call);
    } else groups.push({ addresses: new Set(wanted), askers: [call] });
  }
  return groups.map(({ addresses, askers }) => {
    if (askers.length === 1) return mergeEqual(askers);
    return { method: METHOD, params: [[...addresses], askers[0]?.params[1]], askers };
  });
}

const addressesIn = ({ params }: SolanaCall) => (params as unknown as AccountRead)[0];

/**
 * The part of a merged answer that one caller asked for. Of an answer with more accounts, or fewer, nobody gets any: which
 * address each belongs to is not known.
 */
export function answerFor(call: SolanaCall, merged: MergedCall<SolanaCall>, answer: SolanaAnswer): SolanaAnswer {
  if (merged.askers.length === 1 || merged.method !== METHOD || !answer.ok) return answer;
  const { result } = answer;
  const told = typeof result === 'object' && result !== null && 'value' in result ? result.value : undefined;
  const asked = addressesIn(merged);
  if (!Array.isArray(told) || told.length !== asked.length) return { ok: true, result: null };
  const accountAt = new Map(asked.map((address, place) => [address, told[place] as unknown]));
  return { ok: true, result: { ...(result as object), value: addressesIn(call).map((at) => accountAt.get(at)) } };
}
