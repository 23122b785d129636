/** Context of a ciphertext. It opens under the same context and no other. */
export type SecretContext = { readonly accountId: string; readonly id: string; readonly purpose: string };

export function associated({ accountId, id, purpose }: SecretContext): Buffer {
  return Buffer.from(JSON.stringify([accountId, id, purpose]), 'utf8');
}
