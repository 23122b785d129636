// Accounts that stand under the program's own hand; no key exists for them.
import { address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
import type { MessageTerms } from './message-terms.ts';

export type Derived = { readonly address: string; readonly bump: number };

const bytesOf = (key: string) => Uint8Array.from(getAddressEncoder().encode(address(key)));

const delegates = new Map<string, Derived>();

/** Whom a payer approves: it moves tokens only as the program tells it to. */
export async function delegateOf(program: string): Promise<Derived> {
  const known = delegates.get(program);
  if (known !== undefined) return known;
  const derived = await derive(program, ['delegate']);
  delegates.set(program, derived);
  return derived;
}

export type ReceiptName = Pick<MessageTerms, 'program' | 'payer' | 'relayer' | 'nonce' | 'validBeforeSeconds'>;

/** Exists from the payment on until it is closed: who finds it knows that the text was used. */
export function receiptOf({ program, payer, relayer, nonce, validBeforeSeconds }: ReceiptName): Promise<Derived> {
  return derive(program, [
    'receipt',
    bytesOf(payer),
    bytesOf(relayer),
    Buffer.from(nonce, 'hex'),
    signed64(validBeforeSeconds),
  ]);
}

async function derive(program: string, seeds: readonly (string | Uint8Array)[]): Promise<Derived> {
  const [derived, bump] = await getProgramDerivedAddress({ programAddress: address(program), seeds: [...seeds] });
  return { address: derived, bump };
}

export function signed64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}

export function unsigned64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
