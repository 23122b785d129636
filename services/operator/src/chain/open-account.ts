// A key file and a node's address, as an account on a chain. The key itself is never on the command line.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ChainAccount, openAccount } from '@svc-pay/evm';
import { type Failure, failed, misused } from '../output/outcome.ts';

export type Opened =
  | { readonly ok: true; readonly chain: ChainAccount }
  | { readonly ok: false; readonly failure: Failure };

/** Without a key file the account is a random one: good for reading, and nobody's. */
export async function openChainAccount(rpcUrl: string, keyFile: string | undefined): Promise<Opened> {
  const key = keyFile === undefined ? `0x${randomBytes(32).toString('hex')}` : readKey(keyFile);
  if (key === undefined) {
    return { ok: false, failure: misused('--key-file: no readable file with a private key of 32 bytes in 0x-hex') };
  }
  try {
    return { ok: true, chain: await openAccount({ rpcUrl, privateKey: key }) };
  } catch {
    // The address may carry a provider's key, and the library would print it.
    return {
      ok: false,
      failure: failed('chain_unreachable', 'The node at SVC_RPC_URL does not answer.', 'Is it running?'),
    };
  }
}

function readKey(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return /^0x[0-9a-fA-F]{64}$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
