// A relocatable object as the compiler leaves it: sections, symbols, and places that wait for an address.

export type Section = {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  /** For relocations: the section that they are in. */
  readonly info: number;
  readonly align: number;
  readonly data: Buffer;
};

type ObjectSymbol = {
  readonly name: string;
  readonly kind: number;
  /** 0 for one that is not in this object. */
  readonly section: number;
  readonly value: number;
};

type Relocation = { readonly at: number; readonly type: number; readonly symbol: ObjectSymbol };

export type ObjectFile = {
  readonly sections: readonly Section[];
  readonly symbols: readonly ObjectSymbol[];
  /** By the place of the section that they are in. */
  readonly relocations: ReadonlyMap<number, readonly Relocation[]>;
};

const ELF = 0x464c457f;
const BPF = 247;
const SYMBOLS = 2;
const ZEROS = 8;
const RELOCATIONS = 9;

export function readObject(bytes: Buffer): ObjectFile {
  if (bytes.readUInt32LE(0) !== ELF || bytes.readUInt16LE(18) !== BPF) throw new Error('not an object for BPF');
  const headersAt = whole(bytes, 40);
  const headers = Array.from({ length: bytes.readUInt16LE(60) }, (_, index) => headersAt + 64 * index);
  const raw = headers.map((at) => ({
    nameAt: bytes.readUInt32LE(at),
    type: bytes.readUInt32LE(at + 4),
    flags: whole(bytes, at + 8),
    from: whole(bytes, at + 24),
    size: whole(bytes, at + 32),
    link: bytes.readUInt32LE(at + 40),
    info: bytes.readUInt32LE(at + 44),
    align: whole(bytes, at + 48) || 1,
  }));
  const dataOf = ({ type, from, size }: (typeof raw)[number]) =>
    type === ZEROS ? Buffer.alloc(size) : Buffer.from(bytes.subarray(from, from + size));
  const names = dataOf(at(raw, bytes.readUInt16LE(62)));
  const sections = raw.map((section) => ({ ...section, name: textAt(names, section.nameAt), data: dataOf(section) }));
  const table = sections.find(({ type }) => type === SYMBOLS);
  if (table === undefined) throw new Error('an object without symbols');
  const strings = at(sections, table.link).data;
  const symbols = Array.from({ length: table.data.length / 24 }, (_, index) => {
    const from = 24 * index;
    return {
      name: textAt(strings, table.data.readUInt32LE(from)),
      kind: table.data.readUInt8(from + 4) & 15,
      section: table.data.readUInt16LE(from + 6),
      value: whole(table.data, from + 8),
    };
  });
  const relocations = new Map(
    sections
      .filter(({ type }) => type === RELOCATIONS)
      .map(({ info, data }) => [
        info,
        Array.from({ length: data.length / 16 }, (_, index) => ({
          at: whole(data, 16 * index),
          type: data.readUInt32LE(16 * index + 8),
          symbol: at(symbols, data.readUInt32LE(16 * index + 12)),
        })),
      ]),
  );
  return { sections, symbols, relocations };
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`nothing at ${index}`);
  return item;
}

const whole = (bytes: Buffer, from: number) => Number(bytes.readBigUInt64LE(from));
const textAt = (bytes: Buffer, from: number) => bytes.toString('latin1', from, bytes.indexOf(0, from));
