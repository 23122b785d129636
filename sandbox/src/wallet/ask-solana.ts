// Reads balances on the sandbox's Solana chain, from a page and from Node.
import { tokenAccountOf } from '@svc-pay/protocol/solana';

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

/** Balance in smallest units; 0 if there is no token account. */
export async function tokenBalanceOf(rpcUrl: string, owner: string, mint: string): Promise<bigint> {
  const account = tokenAccountOf(owner, mint, TOKEN_PROGRAM);
  const result = await ask(rpcUrl, 'getTokenAccountBalance', [account, { commitment: 'confirmed' }]);
  return BigInt((result as { value?: { amount?: string } } | undefined)?.value?.amount ?? '0');
}

export async function lamportsOf(rpcUrl: string, owner: string): Promise<bigint> {
  const result = await ask(rpcUrl, 'getBalance', [owner, { commitment: 'confirmed' }]);
  return BigInt((result as { value?: number } | undefined)?.value ?? 0);
}

async function ask(rpcUrl: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await response.json()) as { result?: unknown }).result;
}
