// From the compiler's object to a program that Solana's loader takes (sBPF, its first version). Addresses of constants are
// written in; calls into the runtime stay open, by name, for the loader to fill. A program has nothing that is writable.
import type { ObjectFile, Section } from './read-object.ts';
import { writeElf } from './write-elf.ts';

/** Where the loader maps the file. */
const BASE = 0x1_0000_0000n;
const TEXT_AT = 64 + 3 * 56;
const [IN_MEMORY, WRITABLE, CODE] = [2, 1, 4];
const [LOAD_ADDRESS, CALL] = [1, 10];
const SECTION_SYMBOL = 3;

type Placed = { readonly section: Section; readonly index: number; readonly address: number };

/** The same object makes the same bytes. Throws for what the loader would refuse, and for a call outside `syscalls`. */
export function linkProgram(object: ObjectFile, syscalls: readonly string[]): Buffer {
  const loaded = object.sections
    .map((section, index) => ({ section, index }))
    .filter(({ section }) => (section.flags & IN_MEMORY) !== 0 && section.data.length > 0);
  const writable = loaded.find(({ section }) => (section.flags & WRITABLE) !== 0);
  if (writable !== undefined) throw new Error(`${writable.section.name} is writable`);
  const code = place(
    loaded.filter(({ section }) => (section.flags & CODE) !== 0),
    TEXT_AT,
    8,
  );
  const constants = place(
    loaded.filter(({ section }) => (section.flags & CODE) === 0 && section.name !== '.eh_frame'),
    align(code.end, 16),
    1,
  );
  const placed = [...code.placed, ...constants.placed];
  const addressOf = (index: number) => {
    const found = placed.find((one) => one.index === index);
    if (found === undefined) throw new Error(`section ${index} is not in the program`);
    return found.address;
  };
  const calls: { readonly at: number; readonly name: string }[] = [];
  for (const { section, index, address } of placed) {
    const { data } = section;
    for (const { at: from, type, symbol } of object.relocations.get(index) ?? []) {
      if (type === LOAD_ADDRESS) {
        const offset = BigInt(data.readUInt32LE(from + 4)) | (BigInt(data.readUInt32LE(from + 12)) << 32n);
        const target = BASE + BigInt(addressOf(symbol.section) + symbol.value) + offset;
        data.writeUInt32LE(Number(target & 0xffff_ffffn), from + 4);
        data.writeUInt32LE(Number(target >> 32n), from + 12);
      } else if (type !== CALL) {
        throw new Error(`${section.name} waits for an address in a way that is not known: ${type}`);
      } else if (symbol.section === 0) {
        if (!syscalls.includes(symbol.name)) throw new Error(`the runtime has no ${symbol.name}`);
        data.writeInt32LE(-1, from + 4);
        calls.push({ at: address + from, name: symbol.name });
      } else {
        const inside = symbol.kind === SECTION_SYMBOL ? (data.readInt32LE(from + 4) + 1) * 8 : symbol.value;
        data.writeInt32LE((addressOf(symbol.section) + inside - (address + from + 8)) / 8, from + 4);
      }
    }
  }
  const entry = object.symbols.find(({ name, section }) => name === 'entrypoint' && section > 0);
  if (entry === undefined) throw new Error('no entrypoint');
  return writeElf({
    entry: addressOf(entry.section) + entry.value,
    code: { from: TEXT_AT, to: code.end },
    constants: { from: align(code.end, 16), to: constants.end },
    placed: placed.map(({ section, address }) => ({ at: address, data: section.data })),
    calls,
  });
}

const align = (position: number, to: number) => Math.ceil(position / to) * to;

function place(
  sections: readonly { readonly section: Section; readonly index: number }[],
  from: number,
  atLeast: number,
): { readonly placed: readonly Placed[]; readonly end: number } {
  const placed: Placed[] = [];
  let end = from;
  for (const one of sections) {
    const address = align(end, Math.max(atLeast, one.section.align));
    placed.push({ ...one, address });
    end = address + one.section.data.length;
  }
  return { placed, end };
}
