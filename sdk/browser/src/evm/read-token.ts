// Two questions to a token: how much an account holds, and its Permit nonce. Through the wallet when it is on the chain,
// otherwise through the public address that the acceptance names. Best effort: no answer is undefined.
import { type Acceptance, chainIdOf, parseNetwork } from '@svc-pay/protocol';
import { haltIfAborted } from '../http/race.ts';
import { sendOnce } from '../http/send-once.ts';
import { fieldsOf } from '../read/fields.ts';
import type { WalletCall } from '../wallet.ts';
import { askWallet } from './ask-wallet.ts';
import type { Eip1193Provider } from './eip1193.ts';

const SELECTORS = { balanceOf: '0x70a08231', nonces: '0x7ecebe00' } as const;
const READ_TIMEOUT_MS = 5_000;

export type TokenQuestion = {
  readonly provider: Eip1193Provider;
  /** The chain the wallet is on, if it told. */
  readonly walletChainId: number | undefined;
  readonly acceptance: Acceptance;
  readonly owner: string;
};

export async function askToken(
  what: keyof typeof SELECTORS,
  { provider, walletChainId, acceptance, owner }: TokenQuestion,
  call: WalletCall,
): Promise<bigint | undefined> {
  const to = acceptance.asset ?? acceptance.payTo;
  const data = `${SELECTORS[what]}${owner.slice(2).toLowerCase().padStart(64, '0')}`;
  const params = [{ to, data }, 'latest'];
  const rpcUrl = acceptance.extra?.rpcUrlPublic;
  const short = { ...call, walletTimeoutMs: READ_TIMEOUT_MS };
  if (walletChainId === chainIdOfAcceptance(acceptance)) {
    const told = wordOf(await quietly(provider, short, params));
    if (told !== undefined) return told;
  }
  return rpcUrl === undefined ? undefined : wordOf(await askNode(rpcUrl, params, call));
}

export function chainIdOfAcceptance({ network }: Acceptance): number | undefined {
  const id = parseNetwork(network);
  return id && chainIdOf(id);
}

async function quietly(provider: Eip1193Provider, call: WalletCall, params: readonly unknown[]): Promise<unknown> {
  try {
    return await askWallet(provider, call, { method: 'eth_call', params, refusedAs: 'connection_refused' });
  } catch {
    haltIfAborted(call.signal);
    return undefined;
  }
}

async function askNode(url: string, params: readonly unknown[], { ports, signal }: WalletCall): Promise<unknown> {
  if (!/^https?:\/\//.test(url)) return undefined;
  const reply = await sendOnce(
    ports,
    {
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }),
      timeoutMs: READ_TIMEOUT_MS,
    },
    signal,
  );
  haltIfAborted(signal);
  return fieldsOf(reply?.body)?.['result'];
}

function wordOf(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value) ? BigInt(value) : undefined;
}
