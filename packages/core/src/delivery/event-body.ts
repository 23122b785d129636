// What a body may say. The rows of events that report on payments are settlement's; all others are the API's, and the database
// holds only the end of their bodies to their type.

/** The type is the last name of a body. */
const OF_PAYMENT = /,"type":"payment\.[a-z]+"\}$/;
const LONGEST_END = 64;
const ENDS = new TextDecoder();
const WHOLE = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * True if readers of JSON could understand the body in two ways, as with a second `type` further in front. Every body is
 * written by `JSON.stringify`, which writes it the same way again.
 */
export function isAmbiguous(body: Uint8Array): boolean {
  if (OF_PAYMENT.test(ENDS.decode(body.subarray(-LONGEST_END)))) return false;
  try {
    const text = WHOLE.decode(body);
    return JSON.stringify(JSON.parse(text)) !== text;
  } catch {
    return true;
  }
}
