// The shape of what clients send: an envelope with a content and the proof of who sent it. Everything here comes from
// outside, so each field is checked before it is used, and everything that can be long has a limit.
import { Cbor } from '@icp-sdk/core/agent';
import { malformed } from './refused-request.ts';

export type RequestType = 'call' | 'query' | 'read_state';

export type Content = {
  readonly requestType: RequestType;
  readonly sender: Uint8Array;
  readonly ingressExpiry: bigint;
  /** Absent in `read_state`. */
  readonly canisterId: Uint8Array;
  readonly methodName: string;
  readonly arg: Uint8Array;
  /** Absent but in `read_state`. */
  readonly paths: readonly (readonly Uint8Array[])[];
  /** What the request id is the hash of. */
  readonly hashed: Readonly<Record<string, unknown>>;
};

export type SignedDelegation = {
  readonly publicKey: Uint8Array;
  readonly expiration: bigint;
  /** Canisters that the key may act at; undefined for every one. */
  readonly targets: readonly Uint8Array[] | undefined;
  readonly signature: Uint8Array;
  readonly hashed: Readonly<Record<string, unknown>>;
};

export type Envelope = {
  readonly content: Content;
  readonly publicKey: Uint8Array | undefined;
  readonly signature: Uint8Array | undefined;
  readonly delegations: readonly SignedDelegation[];
};

const MAX_PATHS = 1_000;
const MAX_PATH_LABELS = 127;
const MAX_DELEGATIONS = 20;
const MAX_TARGETS = 1_000;
const MAX_NONCE_BYTES = 32;
const MAX_PRINCIPAL_BYTES = 29;
const MAX_METHOD_LENGTH = 20_000;
const CONTENT_FIELDS = new Set([
  'request_type',
  'sender',
  'nonce',
  'ingress_expiry',
  'canister_id',
  'method_name',
  'arg',
  'paths',
]);

export function readEnvelope(body: Uint8Array): Envelope {
  const envelope = recordOf(decode(body), 'the envelope');
  const { sender_pubkey: key, sender_sig: signature, sender_delegation: delegations } = envelope;
  return {
    content: readContent(recordOf(envelope['content'], 'content')),
    publicKey: key === undefined ? undefined : bytesOf(key, 'sender_pubkey', 1_024),
    signature: signature === undefined ? undefined : bytesOf(signature, 'sender_sig', 4_096),
    delegations:
      delegations === undefined ? [] : listOf(delegations, 'sender_delegation', MAX_DELEGATIONS, readDelegation),
  };
}

function decode(body: Uint8Array): unknown {
  try {
    return Cbor.decode(body);
  } catch {
    throw malformed('the body is not CBOR');
  }
}

function readContent(content: Record<string, unknown>): Content {
  const unknown = Object.keys(content).find((field) => !CONTENT_FIELDS.has(field));
  if (unknown !== undefined) throw malformed(`unknown field ${unknown.slice(0, 40)}`);
  const requestType = requestTypeOf(content['request_type']);
  if (content['nonce'] !== undefined) bytesOf(content['nonce'], 'nonce', MAX_NONCE_BYTES);
  const reads = requestType === 'read_state';
  return {
    requestType,
    sender: bytesOf(content['sender'], 'sender', MAX_PRINCIPAL_BYTES),
    ingressExpiry: numberOf(content['ingress_expiry'], 'ingress_expiry'),
    canisterId: reads ? new Uint8Array() : bytesOf(content['canister_id'], 'canister_id', MAX_PRINCIPAL_BYTES),
    methodName: reads ? '' : textOf(content['method_name'], 'method_name', MAX_METHOD_LENGTH),
    arg: reads ? new Uint8Array() : bytesOf(content['arg'], 'arg'),
    paths: reads ? listOf(content['paths'], 'paths', MAX_PATHS, readPath) : [],
    hashed: content,
  };
}

function readDelegation(value: unknown): SignedDelegation {
  const { delegation, signature } = recordOf(value, 'sender_delegation');
  const hashed = recordOf(delegation, 'delegation');
  const { pubkey, expiration, targets } = hashed;
  const target = (one: unknown) => bytesOf(one, 'target', MAX_PRINCIPAL_BYTES);
  return {
    publicKey: bytesOf(pubkey, 'pubkey', 1_024),
    expiration: numberOf(expiration, 'expiration'),
    targets: targets === undefined ? undefined : listOf(targets, 'targets', MAX_TARGETS, target),
    signature: bytesOf(signature, 'signature', 4_096),
    hashed,
  };
}

const readPath = (path: unknown) =>
  listOf(path, 'a path', MAX_PATH_LABELS, (label) => bytesOf(label, 'a label', 4_096));

function requestTypeOf(value: unknown): RequestType {
  if (value === 'call' || value === 'query' || value === 'read_state') return value;
  throw malformed('unknown request_type');
}

function recordOf(value: unknown, name: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)) {
    return value as Record<string, unknown>;
  }
  throw malformed(`${name} is no map`);
}

function bytesOf(value: unknown, name: string, most = Number.POSITIVE_INFINITY): Uint8Array {
  if (value instanceof Uint8Array && value.length <= most) return value;
  throw malformed(`${name} is no bytes, or too many`);
}

function textOf(value: unknown, name: string, most: number): string {
  if (typeof value === 'string' && value.length <= most) return value;
  throw malformed(`${name} is no text, or too long`);
}

function numberOf(value: unknown, name: string): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  throw malformed(`${name} is no whole number`);
}

function listOf<T>(value: unknown, name: string, most: number, read: (item: unknown) => T): T[] {
  if (Array.isArray(value) && value.length <= most) return value.map((item: unknown) => read(item));
  throw malformed(`${name} is no list, or too long`);
}
