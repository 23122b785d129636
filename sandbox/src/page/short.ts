/** Shortens long text: `0x1234…abcd`. */
export function short(text: string): string {
  return text.length > 16 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text;
}
