// Asks a node whether an authorization was used. Only a final block from after its end can say that it never will be.
import type { Ports } from '../ports.ts';
import { isRecord } from './read-json.ts';
import type { AgentPayment } from './spend-book.ts';

/** `open`: unused so far, and the chain's final block is not past its end yet. */
export type AuthorizationUse = 'used' | 'unused' | 'open' | 'unknown';

const AUTHORIZATION_STATE = '0xe94a0102';
const TIMEOUT_MS = 10_000;

export async function readAuthorizationUse(
  ports: Ports,
  rpcUrl: string,
  payment: AgentPayment,
): Promise<AuthorizationUse> {
  const call = caller(ports, rpcUrl);
  const { from, nonce, validBefore } = payment.authorization;
  // A node of another chain would call every authorization unused.
  const chainId = await call('eth_chainId', []);
  if (typeof chainId !== 'string' || !isHex(chainId) || BigInt(chainId) !== BigInt(payment.chainId)) return 'unknown';
  const block = await call('eth_getBlockByNumber', ['finalized', false]);
  const number = isRecord(block) ? block['number'] : undefined;
  const timestamp = isRecord(block) ? block['timestamp'] : undefined;
  if (typeof number !== 'string' || typeof timestamp !== 'string' || !isHex(timestamp)) return 'unknown';
  const data = `${AUTHORIZATION_STATE}${from.slice(2).toLowerCase().padStart(64, '0')}${nonce.slice(2)}`;
  const state = await call('eth_call', [{ to: payment.asset, data }, number]);
  if (typeof state !== 'string' || !/^0x[0-9a-f]{64}$/i.test(state)) return 'unknown';
  if (BigInt(state) !== 0n) return 'used';
  // A token takes an authorization in blocks before `validBefore`.
  return BigInt(timestamp) >= BigInt(validBefore) ? 'unused' : 'open';
}

const isHex = (text: string) => /^0x[0-9a-f]{1,64}$/i.test(text);

function caller(ports: Ports, rpcUrl: string) {
  return async (method: string, params: readonly unknown[]): Promise<unknown> => {
    try {
      const response = await ports.fetch(rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const answer: unknown = await response.json();
      return isRecord(answer) && answer['error'] === undefined ? answer['result'] : undefined;
    } catch {
      return undefined;
    }
  };
}
