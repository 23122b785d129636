// What a signer answers after a call (ICRC-49): the call that it made, and a certificate of what came of it. The signature of
// the certificate is not checked here: it says which block the service is told of, and the service asks the ledger itself.
import { bytesFromBase64, type Cbor, type CborMap, readCborMap, readLeb128, requestIdOf } from '@svc-pay/protocol/icp';

/** A call as it was asked for. */
type AskedCall = {
  readonly canisterId: Uint8Array;
  readonly sender: Uint8Array;
  readonly method: string;
  readonly arg: Uint8Array;
};

type CallAnswer =
  | { readonly status: 'replied'; readonly reply: Uint8Array }
  | { readonly status: 'rejected'; readonly code: bigint }
  /** Another call than was asked for, or none that can be read. */
  | { readonly status: 'other_call' }
  /** The certificate can't be read, or does not say what came of the call. */
  | { readonly status: 'unknown' };

/** Never throws. */
export function readAnswer(answer: unknown, asked: AskedCall): CallAnswer {
  const { contentMap, certificate } = (answer ?? {}) as {
    readonly contentMap?: unknown;
    readonly certificate?: unknown;
  };
  const call = quietly(() => readCborMap(bytesOf(contentMap)));
  if (call === undefined || !isCall(call, asked)) return { status: 'other_call' };
  return (
    quietly(() => statusIn(readCborMap(bytesOf(certificate)).get('tree'), requestIdOf(call))) ?? { status: 'unknown' }
  );
}

function quietly<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function bytesOf(base64: unknown): Uint8Array {
  const bytes = typeof base64 === 'string' ? bytesFromBase64(base64) : undefined;
  if (bytes === undefined) throw new TypeError('no base64');
  return bytes;
}

const isCall = (call: CborMap, { canisterId, sender, method, arg }: AskedCall): boolean =>
  call.get('request_type') === 'call' &&
  call.get('method_name') === method &&
  isSame(call.get('canister_id'), canisterId) &&
  isSame(call.get('sender'), sender) &&
  isSame(call.get('arg'), arg);

const isSame = (one: Cbor | undefined, other: Uint8Array): boolean =>
  one instanceof Uint8Array && one.length === other.length && one.every((byte, index) => byte === other[index]);

const text = new TextEncoder();

function statusIn(tree: Cbor | undefined, requestId: Uint8Array): CallAnswer {
  const find = (name: string) => lookUp(tree, [text.encode('request_status'), requestId, text.encode(name)]);
  const status = new TextDecoder().decode(find('status'));
  const reply = find('reply');
  if (status === 'replied' && reply !== undefined) return { status, reply };
  const code = find('reject_code');
  if (status !== 'rejected' || code === undefined) return { status: 'unknown' };
  return { status, code: readLeb128(code) };
}

const [FORK, LABELED, LEAF] = [1n, 2n, 3n];

/** Undefined where the tree does not show the path. */
function lookUp(tree: Cbor | undefined, path: readonly Uint8Array[]): Uint8Array | undefined {
  if (!Array.isArray(tree)) return undefined;
  const [kind, first, second] = tree as readonly Cbor[];
  const [label, ...rest] = path;
  if (kind === FORK) return lookUp(first, path) ?? lookUp(second, path);
  if (kind === LABELED && label !== undefined && isSame(first, label)) return lookUp(second, rest);
  return kind === LEAF && label === undefined && first instanceof Uint8Array ? first : undefined;
}
