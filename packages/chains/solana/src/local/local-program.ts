// The committed program binary, and its address on a local chain. On a real cluster it has another address.
import { readFile } from 'node:fs/promises';
import { address } from '@solana/kit';

export const LOCAL_PROGRAM = address('SvcPayTest111111111111111111111111111111111');

const BINARY = new URL('../../../../../contracts/solana/program/svc_pay.so', import.meta.url);

export async function programBytes(): Promise<Uint8Array> {
  return Uint8Array.from(await readFile(BINARY));
}
