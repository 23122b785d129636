// Opens an account on a chain from a key file and an RPC URL. The key itself is never on the command line.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type AdminClient, openAccount } from '@svc-pay/evm';
import { type Failure, failed, misused } from '../output/outcome.ts';

export type OpenedChainAccount =
  | { readonly ok: true; readonly chain: AdminClient }
  | { readonly ok: false; readonly failure: Failure };

/** Without a key file the account is random: usable only for reading. */
export async function openChainAccount(rpcUrl: string, keyFile: string | undefined): Promise<OpenedChainAccount> {
  const key = keyFile === undefined ? `0x${randomBytes(32).toString('hex')}` : readKey(keyFile);
  if (key === undefined) {
    return { ok: false, failure: misused('--key-file: no readable file with a private key of 32 bytes in 0x-hex') };
  }
  try {
    return { ok: true, chain: await openAccount({ rpcUrl, privateKey: key }) };
  } catch {
    // The library's error would print the URL, which may contain a provider's key.
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
