// Counts the JSON-RPC calls in a stream of bytes, whatever pieces it comes in.

const MARK = Buffer.from('"method":"');

/** Returns a function that takes the next piece and adds one to `counts` for each method that is complete. */
export function createMethodCounter(counts: Map<string, number>): (piece: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (piece) => {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (let from = 0; ; ) {
      const at = bytes.indexOf(MARK, from);
      const end = at < 0 ? -1 : bytes.indexOf('"', at + MARK.length);
      if (end < 0) {
        // The beginning of a mark or of a name: the next piece may complete it.
        rest = bytes.subarray(at < 0 ? Math.max(from, bytes.length - MARK.length + 1) : at);
        return;
      }
      const method = bytes.toString('latin1', at + MARK.length, end);
      counts.set(method, (counts.get(method) ?? 0) + 1);
      from = end + 1;
    }
  };
}
