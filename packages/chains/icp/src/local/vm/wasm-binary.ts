// Reads a canister's WebAssembly far enough to know how wide its pointers are and what its imports return, and exports its
// memory, table and mutable globals under names of our own. JavaScript cannot otherwise put an unexported global back
// after a trap.
import { gunzipSync } from 'node:zlib';
import { leb128 } from '@svc-pay/protocol/icp';

export type PreparedWasm = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Pointers and sizes are 64 bits wide, as Motoko's are. */
  readonly wide: boolean;
  /** Table indexes are 64 bits wide. */
  readonly wideTable: boolean;
  /** Export names of the mutable globals. */
  readonly globals: readonly string[];
  /** Names of the imported functions. */
  readonly imports: readonly string[];
  /** Those that return 64 bits. */
  readonly returnsWide: ReadonlySet<string>;
};

export const MEMORY_EXPORT = 'local:memory';
export const TABLE_EXPORT = 'local:table';

const MAX_WASM_BYTES = 32 * 1024 * 1024;
const SECTION = { type: 1, import: 2, table: 4, memory: 5, global: 6, export: 7 };
const I64 = 0x7e;
const V128 = 0x7b;
const WIDE_LIMITS = 0x04;

type Section = { readonly id: number; readonly body: Uint8Array };

export function prepareWasm(given: Uint8Array): PreparedWasm {
  const plain = given[0] === 0x1f && given[1] === 0x8b ? gunzipSync(given, { maxOutputLength: MAX_WASM_BYTES }) : given;
  if (plain.length > MAX_WASM_BYTES) throw new Error('the module is too large');
  const sections = readSections(plain);
  const bodyOf = (id: number) => sections.find((section) => section.id === id)?.body;
  const results = readResultTypes(bodyOf(SECTION.type));
  const imports = readImports(bodyOf(SECTION.import), results);
  const tableFlags = readTableFlags(bodyOf(SECTION.table));
  const globals = readMutableGlobals(bodyOf(SECTION.global)).map((index) => index + imports.globals);
  const added = [
    exportEntry(MEMORY_EXPORT, 2, 0),
    ...(tableFlags === undefined ? [] : [exportEntry(TABLE_EXPORT, 1, 0)]),
    ...globals.map((index) => exportEntry(globalName(index), 3, index)),
  ];
  return {
    bytes: writeSections(
      plain,
      sections.map((section) =>
        section.id === SECTION.export ? { id: section.id, body: appendEntries(section.body, added) } : section,
      ),
    ),
    wide: isWide(readMemoryFlags(bodyOf(SECTION.memory))),
    wideTable: isWide(tableFlags ?? 0),
    globals: globals.map(globalName),
    imports: imports.functions,
    returnsWide: imports.returnsWide,
  };
}

const globalName = (index: number) => `local:global:${index}`;
const isWide = (flags: number) => (flags & WIDE_LIMITS) !== 0;

/** A cursor over bytes that refuses to read past their end. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new Error('the module ends early');
    this.#at += 1;
    return value;
  }

  take(count: number): Uint8Array {
    if (this.#at + count > this.#bytes.length) throw new Error('the module ends early');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  /** An unsigned LEB128 number. */
  number(): number {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(value);
    }
  }

  text(): string {
    return new TextDecoder().decode(this.take(this.number()));
  }

  each<T>(read: () => T): T[] {
    return Array.from({ length: this.number() }, read);
  }

  /** Skips the limits of a memory or table and returns their flags. */
  limits(): number {
    const flags = this.number();
    this.number();
    if ((flags & 1) !== 0) this.number();
    return flags;
  }
}

function readSections(bytes: Uint8Array): Section[] {
  const reader = new Reader(bytes);
  const magic = Buffer.from(reader.take(8)).toString('hex');
  if (magic !== '0061736d01000000') throw new Error('not a WebAssembly module');
  const sections: Section[] = [];
  while (!reader.done) {
    const id = reader.byte();
    sections.push({ id, body: reader.take(reader.number()) });
  }
  return sections;
}

/** Of each function type, the type of its first result. */
function readResultTypes(body: Uint8Array | undefined): (number | undefined)[] {
  if (body === undefined) return [];
  const reader = new Reader(body);
  return reader.each(() => {
    if (reader.byte() !== 0x60) throw new Error('the module has a type that is no function type');
    reader.take(reader.number());
    return reader.take(reader.number())[0];
  });
}

function readImports(body: Uint8Array | undefined, results: readonly (number | undefined)[]) {
  const returnsWide = new Set<string>();
  const functions: string[] = [];
  let globals = 0;
  if (body === undefined) return { functions, returnsWide, globals };
  const reader = new Reader(body);
  reader.each(() => {
    const [, name, kind] = [reader.text(), reader.text(), reader.byte()];
    if (kind === 0) {
      functions.push(name);
      if (results[reader.number()] === I64) returnsWide.add(name);
    } else if (kind === 3) {
      reader.take(2);
      globals += 1;
    } else {
      throw new Error(`the module imports ${name}, which is neither a function nor a global`);
    }
  });
  return { functions, returnsWide, globals };
}

function readTableFlags(body: Uint8Array | undefined): number | undefined {
  const reader = new Reader(body ?? Uint8Array.of(0));
  if (reader.number() === 0) return undefined;
  reader.byte();
  return reader.limits();
}

function readMemoryFlags(body: Uint8Array | undefined): number {
  const reader = new Reader(body ?? Uint8Array.of(0));
  if (reader.number() === 0) throw new Error('the module has no memory');
  return reader.limits();
}

/** Indexes among the module's own globals. Vector globals are left out: JavaScript cannot read them. */
function readMutableGlobals(body: Uint8Array | undefined): number[] {
  if (body === undefined) return [];
  const reader = new Reader(body);
  return reader
    .each(() => {
      const [type, mutable] = [reader.byte(), reader.byte()];
      skipExpression(reader);
      return type !== V128 && mutable === 1;
    })
    .flatMap((mutable, index) => (mutable ? [index] : []));
}

const END = 0x0b;
/** Bytes after the opcode; absent where a LEB128 number follows. */
const FIXED_OPERANDS: Readonly<Record<number, number>> = { 0x43: 4, 0x44: 8, 0xd0: 1 };
const NUMBER_OPERANDS = new Set([0x41, 0x42, 0x23, 0xd2]);

function skipExpression(reader: Reader): void {
  for (let opcode = reader.byte(); opcode !== END; opcode = reader.byte()) {
    if (NUMBER_OPERANDS.has(opcode)) reader.number();
    else reader.take(FIXED_OPERANDS[opcode] ?? 0);
  }
}

function exportEntry(name: string, kind: number, index: number): Uint8Array {
  return Buffer.concat([leb(name.length), Buffer.from(name), Uint8Array.of(kind), leb(index)]);
}

function appendEntries(body: Uint8Array, entries: readonly Uint8Array[]): Uint8Array {
  const count = new Reader(body).number();
  return Buffer.concat([leb(count + entries.length), body.subarray(leb(count).length), ...entries]);
}

function writeSections(plain: Uint8Array, sections: readonly Section[]): Uint8Array<ArrayBuffer> {
  const parts = sections.flatMap(({ id, body }) => [Uint8Array.of(id), leb(body.length), body]);
  return Uint8Array.from(Buffer.concat([plain.subarray(0, 8), ...parts]));
}

const leb = (value: number): Uint8Array => leb128(BigInt(value));
