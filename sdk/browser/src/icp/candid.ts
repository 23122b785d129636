// Candid as far as a transfer needs it: the argument of `icrc1_transfer`, and its answer, which a ledger may write with a type
// table of its own.
import { concatBytes, leb128 } from '@svc-pay/protocol/icp';

/** Opcodes of types. */
const [NULL, NAT, NAT8, NAT64, TEXT, OPT, VEC, RECORD, VARIANT, PRINCIPAL] = [
  -1, -3, -5, -8, -15, -18, -19, -20, -21, -24,
];
const MAGIC = new TextEncoder().encode('DIDL');
const text = new TextEncoder();

export type TransferArg = {
  readonly fromSubaccount: Uint8Array | null;
  readonly toOwner: Uint8Array;
  readonly toSubaccount: Uint8Array | null;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly memo: Uint8Array;
  readonly createdAtTime: bigint;
};

/** By which Candid knows a field. */
const fieldId = (name: string): number =>
  text.encode(name).reduce((sum, byte) => (Math.imul(sum, 223) + byte) >>> 0, 0);

type Field = { readonly name: string; readonly type: number; readonly value: Uint8Array };

/** Types in the table below. */
const [BLOB, OPT_BLOB, ACCOUNT, OPT_NAT, OPT_NAT64, TRANSFER] = [0, 1, 2, 3, 4, 5];

export function encodeTransfer(arg: TransferArg): Uint8Array {
  const account = recordOf([
    { name: 'owner', type: PRINCIPAL, value: concatBytes(Uint8Array.of(1), blob(arg.toOwner)) },
    { name: 'subaccount', type: OPT_BLOB, value: optional(arg.toSubaccount) },
  ]);
  const transfer = recordOf([
    { name: 'from_subaccount', type: OPT_BLOB, value: optional(arg.fromSubaccount) },
    { name: 'to', type: ACCOUNT, value: account.value },
    { name: 'amount', type: NAT, value: leb128(arg.amount) },
    { name: 'fee', type: OPT_NAT, value: some(leb128(arg.fee)) },
    { name: 'memo', type: OPT_BLOB, value: optional(arg.memo) },
    { name: 'created_at_time', type: OPT_NAT64, value: some(nat64(arg.createdAtTime)) },
  ]);
  const table = [
    concatBytes(signed(VEC), signed(NAT8)),
    concatBytes(signed(OPT), signed(BLOB)),
    account.type,
    concatBytes(signed(OPT), signed(NAT)),
    concatBytes(signed(OPT), signed(NAT64)),
    transfer.type,
  ];
  return concatBytes(MAGIC, Uint8Array.of(table.length), ...table, Uint8Array.of(1, TRANSFER), transfer.value);
}

/** In the order of the fields' ids, which is that of their values too. */
function recordOf(fields: readonly Field[]) {
  const sorted = fields.toSorted((one, other) => fieldId(one.name) - fieldId(other.name));
  const types = sorted.map(({ name, type }) => concatBytes(leb128(BigInt(fieldId(name))), signed(type)));
  return {
    type: concatBytes(signed(RECORD), Uint8Array.of(fields.length), ...types),
    value: concatBytes(...sorted.map(({ value }) => value)),
  };
}

const some = (value: Uint8Array): Uint8Array => concatBytes(Uint8Array.of(1), value);
const blob = (bytes: Uint8Array): Uint8Array => concatBytes(leb128(BigInt(bytes.length)), bytes);
const optional = (bytes: Uint8Array | null): Uint8Array => (bytes === null ? Uint8Array.of(0) : some(blob(bytes)));
/** Signed LEB128 of a small number. */
const signed = (small: number): Uint8Array => Uint8Array.of(small & 127);

function nat64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}

/** What a ledger answers to a transfer: its block, or why there is none. */
export type TransferResult =
  | { readonly block: bigint }
  | {
      /** Undefined for a reason that ICRC-1 does not have. */
      readonly error: TransferError | undefined;
      readonly expectedFee: bigint | undefined;
    };

const ERRORS = [
  'BadFee',
  'BadBurn',
  'InsufficientFunds',
  'TooOld',
  'CreatedInFuture',
  'TemporarilyUnavailable',
  'GenericError',
] as const;
type TransferError = (typeof ERRORS)[number];

/** Throws for what is no answer to a transfer. */
export function decodeTransferResult(bytes: Uint8Array): TransferResult {
  const result = readVariant(bytes);
  const isOk = result.id === fieldId('Ok');
  if (isOk && typeof result.value === 'bigint') return { block: result.value };
  const refused = result.value;
  if (isOk || !isChosen(refused)) throw new TypeError('no answer to a transfer');
  const natural = (name: string) => {
    const value = refused.value instanceof Map ? refused.value.get(fieldId(name)) : undefined;
    return typeof value === 'bigint' ? value : undefined;
  };
  const earlier = refused.id === fieldId('Duplicate') ? natural('duplicate_of') : undefined;
  if (earlier !== undefined) return { block: earlier };
  return { error: ERRORS.find((name) => fieldId(name) === refused.id), expectedFee: natural('expected_fee') };
}

type Chosen = { readonly id: number; readonly value: Value };
type Value = bigint | string | null | ReadonlyMap<number, Value> | Chosen;
type Composite = { readonly kind: number; readonly fields: readonly { readonly id: number; readonly type: number }[] };

const isChosen = (value: Value): value is Chosen => typeof value === 'object' && value !== null && 'id' in value;

/** A result, its reason, the reason's record and a field of it. */
const DEEPEST = 4;

function readVariant(bytes: Uint8Array): Chosen {
  let at = 0;
  const byte = (): number => {
    const one = bytes[at];
    if (one === undefined) throw new RangeError('the bytes end too early');
    at += 1;
    return one;
  };
  const natural = (): bigint => {
    let [sum, shift, one] = [0n, 0n, 0];
    do {
      one = byte();
      sum |= BigInt(one & 127) << shift;
      shift += 7n;
    } while (one > 127);
    return sum;
  };
  const small = (): number => {
    const read = natural();
    if (read > 0xffff_ffffn) throw new RangeError('too large');
    return Number(read);
  };
  /** Types fit one byte here: an index below 64, or an opcode. */
  const typeOf = (): number => {
    const one = byte();
    if (one > 127) throw new RangeError('too many types');
    return one > 63 ? one - 128 : one;
  };
  const readType = (): Composite => {
    const kind = typeOf();
    if (kind === OPT || kind === VEC) {
      typeOf();
      return { kind, fields: [] };
    }
    if (kind !== RECORD && kind !== VARIANT) throw new TypeError('a type that is not used here');
    const fields: { id: number; type: number }[] = [];
    for (let left = small(); left > 0; left -= 1) fields.push({ id: small(), type: typeOf() });
    return { kind, fields };
  };
  if (MAGIC.some((one) => one !== byte())) throw new TypeError('no Candid');
  const table: Composite[] = [];
  for (let left = small(); left > 0; left -= 1) table.push(readType());
  const readValue = (type: number, depth: number): Value => {
    if (depth > DEEPEST) throw new RangeError('too deep');
    if (type === NULL) return null;
    if (type === NAT) return natural();
    if (type === NAT64) {
      const start = at;
      for (let left = 8; left > 0; left -= 1) byte();
      return new DataView(bytes.buffer, bytes.byteOffset + start, 8).getBigUint64(0, true);
    }
    if (type === TEXT) {
      const length = small();
      if (at + length > bytes.length) throw new RangeError('the bytes end too early');
      at += length;
      return new TextDecoder().decode(bytes.subarray(at - length, at));
    }
    const { kind, fields } = table[type] ?? { kind: NULL, fields: [] };
    if (kind === RECORD) return new Map(fields.map(({ id, type: field }) => [id, readValue(field, depth + 1)]));
    const field = kind === VARIANT ? fields[small()] : undefined;
    if (field === undefined) throw new TypeError('a value that is not used here');
    return { id: field.id, value: readValue(field.type, depth + 1) };
  };
  if (small() < 1) throw new TypeError('no value');
  const type = typeOf();
  const value = readValue(type, 1);
  if (!isChosen(value) || at !== bytes.length) throw new TypeError('another value than a result');
  return value;
}
