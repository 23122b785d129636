// Questions to a token: how much an account holds, what it allowed a spender, its Permit nonce. Through the wallet when it is on the chain,
// otherwise through the public address that the acceptance names. Best effort: no answer is undefined.
import { type Acceptance, chainIdOf, parseNetwork } from '@svc-pay/protocol';
import { haltIfAborted } from '../http/race.ts';
import { sendOnce } from '../http/send-once.ts';
import { fieldsOf } from '../read/fields.ts';
import type { WalletCall } from '../wallet.ts';
import { askWallet } from './ask-wallet.ts';
import type { Eip1193Provider } from './eip1193.ts';
import { callOf, numberIn, SELECTORS } from './words.ts';

const READ_TIMEOUT_MS = 5_000;

export type TokenQuestion = {
  readonly provider: Eip1193Provider;
  /** The chain the wallet is on, if it told. */
  readonly walletChainId: number | undefined;
  readonly acceptance: Acceptance;
  readonly owner: string;
};

type Question = 'balanceOf' | 'nonces' | 'allowance';

export async function askToken(
  what: Question,
  { provider, walletChainId, acceptance, owner }: TokenQuestion,
  call: WalletCall,
): Promise<bigint | undefined> {
  const to = acceptance.asset ?? acceptance.payTo;
  const data = callOf(SELECTORS[what], owner, ...(what === 'allowance' ? [acceptance.payTo] : []));
  const params = [{ to, data }, 'latest'];
  const rpcUrl = acceptance.extra?.rpcUrlPublic;
  const short = { ...call, walletTimeoutMs: READ_TIMEOUT_MS };
  if (walletChainId === chainIdOfAcceptance(acceptance)) {
    const told = numberIn(await quietly(provider, short, params));
    if (told !== undefined) return told;
  }
  return rpcUrl === undefined ? undefined : numberIn(await askNode(rpcUrl, params, call));
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
