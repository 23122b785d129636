// Reads an answer. The status and headers decide; the body is read only for the merchant's log, up to a safe limit.
import type { Readable } from 'node:stream';

const MAX_READ_BYTES = 65_536;
const MAX_KEPT_BYTES = 20_000;
const MAX_HEADERS = 60;
const MAX_VALUE_CHARACTERS = 1_000;

/**
 * Reads the first bytes of a body without decompressing. Stops at the end of the body, at the limit or when the time is
 * over; unless the body ended by itself, the connection is destroyed.
 */
export async function readExcerpt(body: Readable): Promise<{ readonly excerpt: Buffer; readonly whole: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let whole = true;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (bytes < MAX_KEPT_BYTES) chunks.push(chunk.subarray(0, MAX_KEPT_BYTES - bytes));
      bytes += chunk.length;
      if (bytes > MAX_READ_BYTES) {
        whole = false;
        break;
      }
    }
  } catch {
    whole = false;
  }
  // Leaving the loop early destroys the stream, and with it the connection.
  return { excerpt: Buffer.concat(chunks), whole };
}

type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

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
