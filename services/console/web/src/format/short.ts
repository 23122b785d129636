/** `pi_01jc…9xk2`: what tells ids, hashes and addresses apart is their beginning and their end. */
export function short(text: string): string {
  if (text.length <= 18) return text;
  const prefix = /^(?:0x|[a-z]{2,4}_)/.exec(text)?.[0] ?? '';
  return `${text.slice(0, prefix.length + 4)}…${text.slice(-4)}`;
}
