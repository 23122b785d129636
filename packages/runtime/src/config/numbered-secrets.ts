// Peppers and master keys are lists of numbered secrets. What is stored names a number, so a number belongs to one secret for ever.

type Numbered = { readonly number: number; readonly bytes: Uint8Array };

/** What is expected of a list in which two numbers have the same secret; undefined if no two do. */
export function sameSecretTwice(secrets: readonly Numbered[]): string | undefined {
  for (const [index, { number, bytes }] of secrets.entries()) {
    const same = secrets.slice(0, index).find((other) => Buffer.from(other.bytes).equals(bytes));
    if (same !== undefined)
      return `a list of different secrets: ${same.number} and ${number} are the same. Draw the new one with \`openssl rand -base64 32\`, and leave the old one its number`;
  }
  return undefined;
}
