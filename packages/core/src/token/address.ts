/** One notation per address: hex in lower case, addresses of other chains unchanged. Sums by party depend on it. */
export function normalizeAddress(address: string): string {
  return address.startsWith('0x') ? address.toLowerCase() : address;
}

/** Compares hex addresses in any letter case, addresses of other chains exactly. */
export function sameAddress(one: string, other: string): boolean {
  return one.startsWith('0x') ? one.toLowerCase() === other.toLowerCase() : one === other;
}
