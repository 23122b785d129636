/** Reads the bytes of a transaction in turn. Throws a `RangeError` where they end. One spelling of a length is read. */
export class WireCursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  bytes(count: number): Uint8Array {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new RangeError('the bytes end too early');
    const taken = Uint8Array.from(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return taken;
  }

  rest(): Uint8Array {
    return this.bytes(this.#bytes.length - this.#at);
  }

  isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Up to three bytes of seven bits, the lowest first; the chain refuses one that is longer than needed. */
  length(): number {
    let value = 0;
    for (const factor of [1, 2 ** 7, 2 ** 14]) {
      const byte = this.byte();
      value += (byte % 128) * factor;
      if (byte === 0 && factor > 1) break;
      if (byte < 128) return value;
    }
    throw new RangeError('a length has another spelling');
  }

  many<Item>(read: () => Item): Item[] {
    return Array.from({ length: this.length() }, read);
  }
}
