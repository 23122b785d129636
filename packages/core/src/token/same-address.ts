/** Hex addresses are equal in any letter case; other chains' addresses are what they are. */
export function sameAddress(one: string, other: string): boolean {
  return one.startsWith('0x') ? one.toLowerCase() === other.toLowerCase() : one === other;
}
