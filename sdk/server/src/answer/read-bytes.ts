// A request body as bytes, never more than a limit: reading stops at the first chunk beyond it.

export type ReadBytes = Uint8Array | 'too_large';

/** `declared` is the Content-Length header: a body that announces too much is not read at all. */
export async function readBytes(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  declared: unknown,
): Promise<ReadBytes> {
  if (typeof declared === 'string' && Number(declared) > maxBytes) return 'too_large';
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.byteLength;
    if (length > maxBytes) return 'too_large';
    parts.push(chunk);
  }
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.byteLength;
  }
  return bytes;
}
