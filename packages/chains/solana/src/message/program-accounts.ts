// Accounts derived from the program; they have no private key.
import { address, getProgramDerivedAddress } from '@solana/kit';
import { bytesOfBase58 } from '../bytes/base58.ts';
import type { MessageTerms } from './message-terms.ts';

export type Derived = { readonly address: string; readonly bump: number };

const delegates = new Map<string, Derived>();

/** The delegate that a payer approves; it moves tokens only by the program's instruction. */
export async function delegateOf(program: string): Promise<Derived> {
  const known = delegates.get(program);
  if (known !== undefined) return known;
  const derived = await derive(program, ['delegate']);
  delegates.set(program, derived);
  return derived;
}

export type ReceiptName = Pick<MessageTerms, 'program' | 'payer' | 'relayer' | 'nonce' | 'validBeforeSeconds'>;

/** The receipt exists from the payment until it is closed; it proves that the text was used. */
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

const KEY_BYTES = 32;

export const bytesOf = (key: string): Uint8Array => {
  const bytes = bytesOfBase58(key);
  if (bytes?.length !== KEY_BYTES) throw new Error(`${key} is no Solana address`);
  return bytes;
};

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
