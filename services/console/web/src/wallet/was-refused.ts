const USER_REJECTED = 4001;

/** Whether the person declined, as EIP-1193 and most wallets say it. */
export function wasRefused(problem: unknown): boolean {
  const { code, message } = (problem ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return code === USER_REJECTED || (typeof message === 'string' && /reject|denied|declin|cancel/i.test(message));
}
