// Reads an answer. The status and headers decide; the body is read only for the merchant's log, up to a safe limit.

const MAX_READ_BYTES = 65_536;
const MAX_KEPT_BYTES = 20_000;
const MAX_HEADERS = 60;
const MAX_VALUE_CHARACTERS = 1_000;

export type Excerpt = {
  /** False when no more is to be read: the connection is destroyed. */
  readonly add: (chunk: Uint8Array) => boolean;
  readonly bytes: () => Buffer;
};

/** The first bytes of a body, without decompressing. */
export function createExcerpt(): Excerpt {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  return {
    add: (chunk) => {
      if (bytes < MAX_KEPT_BYTES) chunks.push(chunk.subarray(0, MAX_KEPT_BYTES - bytes));
      bytes += chunk.length;
      return bytes <= MAX_READ_BYTES;
    },
    bytes: () => Buffer.concat(chunks),
  };
}

export type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

export function keptHeaders(headers: RawHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers).slice(0, MAX_HEADERS)) {
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(', ') : value;
    kept[storable(name)] = name === 'set-cookie' ? '***' : storable(text.slice(0, MAX_VALUE_CHARACTERS));
  }
  return kept;
}

/** Removes what Postgres does not accept in text. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}
