// The file that the loader reads: code, constants, and the list of calls that it fills in.

type Span = { readonly from: number; readonly to: number };

export type ProgramParts = {
  readonly entry: number;
  readonly code: Span;
  readonly constants: Span;
  readonly placed: readonly { readonly at: number; readonly data: Buffer }[];
  /** Into the runtime, by name. */
  readonly calls: readonly { readonly at: number; readonly name: string }[];
};

const NAMES = ['', '.text', '.rodata', '.dynamic', '.dynsym', '.dynstr', '.rel.dyn', '.shstrtab'] as const;
const CALL = 10n;
const [REL, REL_SIZE, REL_ENTRY, SYMBOL_TABLE, STRING_TABLE, STRING_SIZE, END] = [17, 18, 19, 6, 5, 10, 0] as const;

const ceil8 = (position: number) => Math.ceil(position / 8) * 8;

/** Texts one behind another, each with a zero, and where each begins. */
function stringsOf(texts: readonly string[]): { readonly bytes: Buffer; readonly offsets: readonly number[] } {
  const offsets: number[] = [];
  let end = 0;
  for (const text of texts) {
    offsets.push(end);
    end += text.length + 1;
  }
  return { bytes: Buffer.from(texts.map((text) => `${text}\0`).join(''), 'latin1'), offsets };
}

export function writeElf({ entry, code, constants, placed, calls }: ProgramParts): Buffer {
  const symbols = ['', ...new Set(calls.map(({ name }) => name))];
  const strings = stringsOf(symbols);
  const names = stringsOf(NAMES);
  const dynamic = { from: ceil8(constants.to), to: ceil8(constants.to) + 16 * 7 };
  const symbolTable = { from: dynamic.to, to: dynamic.to + 24 * symbols.length };
  const stringTable = { from: symbolTable.to, to: symbolTable.to + strings.bytes.length };
  const relocations = { from: ceil8(stringTable.to), to: ceil8(stringTable.to) + 16 * calls.length };
  const nameTable = { from: relocations.to, to: relocations.to + names.bytes.length };
  const headersAt = ceil8(nameTable.to);
  const out = Buffer.alloc(headersAt + 64 * NAMES.length);
  const put = (value: number | bigint, at: number) => out.writeBigUInt64LE(BigInt(value), at);

  out.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1], 0);
  out.writeUInt16LE(3, 16);
  out.writeUInt16LE(247, 18);
  out.writeUInt32LE(1, 20);
  put(entry, 24);
  put(64, 32);
  put(headersAt, 40);
  for (const [value, at] of [
    [64, 52],
    [56, 54],
    [3, 56],
    [64, 58],
    [NAMES.length, 60],
    [NAMES.length - 1, 62],
  ] as const)
    out.writeUInt16LE(value, at);

  const segments = [
    { type: 1, flags: 5, span: code },
    { type: 1, flags: 4, span: { from: constants.from, to: nameTable.from } },
    { type: 2, flags: 4, span: dynamic },
  ];
  for (const [index, { type, flags, span }] of segments.entries()) {
    const at = 64 + 56 * index;
    out.writeUInt32LE(type, at);
    out.writeUInt32LE(flags, at + 4);
    for (const place of [8, 16, 24]) put(span.from, at + place);
    for (const place of [32, 40]) put(span.to - span.from, at + place);
    put(8, at + 48);
  }
  for (const { at, data } of placed) data.copy(out, at);
  const entries = [
    [REL, relocations.from],
    [REL_SIZE, relocations.to - relocations.from],
    [REL_ENTRY, 16],
    [SYMBOL_TABLE, symbolTable.from],
    [STRING_TABLE, stringTable.from],
    [STRING_SIZE, strings.bytes.length],
    [END, 0],
  ] as const;
  for (const [index, [tag, value]] of entries.entries()) {
    put(tag, dynamic.from + 16 * index);
    put(value, dynamic.from + 16 * index + 8);
  }
  for (const [index, offset] of strings.offsets.entries()) {
    if (index === 0) continue;
    out.writeUInt32LE(offset, symbolTable.from + 24 * index);
    out.writeUInt8(0x10, symbolTable.from + 24 * index + 4);
  }
  strings.bytes.copy(out, stringTable.from);
  for (const [index, { at, name }] of calls.entries()) {
    put(at, relocations.from + 16 * index);
    put((BigInt(symbols.indexOf(name)) << 32n) | CALL, relocations.from + 16 * index + 8);
  }
  names.bytes.copy(out, nameTable.from);

  const section = (index: number, type: number, flags: number, { from, to }: Span, rest = [0, 0, 0]) => {
    const at = headersAt + 64 * index;
    out.writeUInt32LE(names.offsets[index] ?? 0, at);
    out.writeUInt32LE(type, at + 4);
    put(flags, at + 8);
    put(flags === 0 ? 0 : from, at + 16);
    put(from, at + 24);
    put(to - from, at + 32);
    const [link = 0, info = 0, entrySize = 0] = rest;
    out.writeUInt32LE(link, at + 40);
    out.writeUInt32LE(info, at + 44);
    put(8, at + 48);
    put(entrySize, at + 56);
  };
  section(1, 1, 6, code);
  section(2, 1, 2, constants);
  section(3, 6, 2, dynamic, [5, 0, 16]);
  section(4, 11, 2, symbolTable, [5, 1, 24]);
  section(5, 3, 2, stringTable);
  section(6, 9, 2, relocations, [4, 0, 16]);
  section(7, 3, 0, nameTable);
  return out;
}
