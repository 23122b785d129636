// The program as it is committed, and where it stands on a chain of this machine. On a real cluster it has another address.
import { readFile } from 'node:fs/promises';
import { address } from '@solana/kit';

export const LOCAL_PROGRAM = address('SvcPayTest111111111111111111111111111111111');

const BINARY = new URL('../../program/svc_pay.so', import.meta.url);

export async function programBytes(): Promise<Uint8Array> {
  return Uint8Array.from(await readFile(BINARY));
}
