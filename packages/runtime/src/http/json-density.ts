// JSON.parse needs memory by the number of values, not by the length of the text: 32 MiB of `{},` become 749 MB of objects in 9 s, which can
// end a process. Seen in the tests of both chains: receipts have 47 bytes for each value, the densest answers (batches of `true`) 10.
const FEWEST_BYTES_PER_VALUE = 8;
/** Below it every text is fine: at worst it becomes 23 MB. */
const SMALL_BYTES = 1024 * 1024;
// A sample, because looking at every byte takes twice as long as parsing them (5.4 and 3.0 ns a byte, measured alone with Node 24). The node that
// writes the text does not know which blocks are looked at.
const BLOCKS = 256;
const BLOCK_BYTES = 64;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** Whether a JSON text has more values than an honest node writes in so many bytes, by a random sample. Signs within strings count as well. */
export function hasTooManyValues(json: Buffer): boolean {
  if (json.length <= SMALL_BYTES) return false;
  let values = 0;
  for (let block = 0; block < BLOCKS; block += 1) {
    const start = Math.floor(Math.random() * (json.length - BLOCK_BYTES));
    for (let place = start; place < start + BLOCK_BYTES; place += 1) {
      const byte = json[place];
      if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
    }
  }
  return values > (BLOCKS * BLOCK_BYTES) / FEWEST_BYTES_PER_VALUE;
}
