// Nonce and call of a signed transaction, from its bytes. Type 2 alone: chain, nonce, tip, fee, gas, to, value, data, …
type Item = { readonly bytes: Buffer; readonly next: number };

export type SignedCall = { readonly nonce: number; readonly to: string; readonly input: string };

const DYNAMIC_FEE = 2;
const PLACES = { nonce: 1, to: 5, data: 7 } as const;

export function readTransaction(raw: Buffer): SignedCall {
  if (raw[0] !== DYNAMIC_FEE) throw new Error(`a transaction of type ${raw[0]}`);
  const { bytes } = itemAt(raw, 1);
  const fields: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const item = itemAt(bytes, at);
    fields.push(item.bytes);
    at = item.next;
  }
  const hex = (place: number) => `0x${fields[place]?.toString('hex') ?? ''}`;
  return { nonce: Number.parseInt(hex(PLACES.nonce), 16) || 0, to: hex(PLACES.to), input: hex(PLACES.data) };
}

/** One item of RLP, list or not: what it holds, and where the next one begins. */
function itemAt(bytes: Buffer, at: number): Item {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return { bytes: bytes.subarray(at, at + 1), next: at + 1 };
  const base = first < 0xc0 ? 0x80 : 0xc0;
  const short = first - base;
  if (short <= 55) return { bytes: bytes.subarray(at + 1, at + 1 + short), next: at + 1 + short };
  const lengthBytes = short - 55;
  const length = Number.parseInt(bytes.subarray(at + 1, at + 1 + lengthBytes).toString('hex'), 16);
  const from = at + 1 + lengthBytes;
  return { bytes: bytes.subarray(from, from + length), next: from + length };
}
