// JSON.parse needs memory by the number of values, not by the length of the text: 32 MiB of `{},` become some 700 MB of objects, which can
// end a process. Seen in the tests of both chains: receipts have 47 bytes for each value, the densest answers (batches of `true`) 10.
const FEWEST_BYTES_PER_VALUE = 8;
/** Below it every text is fine: at worst it becomes some 25 MB. */
const SMALL_BYTES = 1024 * 1024;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** Whether a JSON text has more values than an honest node writes in so many bytes. Signs within strings count as well. */
export function hasTooManyValues(json: Buffer): boolean {
  if (json.length <= SMALL_BYTES) return false;
  const most = json.length / FEWEST_BYTES_PER_VALUE;
  let values = 0;
  for (const byte of json) if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
  return values > most;
}
