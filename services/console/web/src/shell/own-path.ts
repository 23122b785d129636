/** A path of the console, and nothing that leads elsewhere: the parameter is in an address that anybody can write. */
export function ownPath(next: string | undefined): string {
  if (next === undefined || !/^\/(?:test|live|profile)(?:[/?#]|$)/.test(next)) return '/';
  return next.includes('\\') ? '/' : next;
}
