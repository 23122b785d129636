// Writes the message of a transaction, byte for byte as the library does, which goes through big integers for every address.
import { AccountRole, getAddressComparator, type Instruction } from '@solana/kit';
import { bytesOfBase58 } from './base58.ts';

type MessageParts = {
  readonly version: 0 | 'legacy';
  readonly feePayer: string;
  readonly blockhash: string;
  readonly instructions: readonly Instruction[];
};

const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;
const VERSION_0 = 0x80;

/** The transaction without signatures, and the message in it. Throws for an address that is none. */
export function compileUnsigned(parts: MessageParts): { readonly wire: Uint8Array; readonly message: Uint8Array } {
  const roles = rolesIn(parts);
  const keys = inOrder(parts.feePayer, roles);
  const placeOf = new Map(keys.map((key, place) => [key, place]));
  const signers = keys.filter((key) => isSigner(roles.get(key))).length;
  const isReadonly = (key: string) => !isWritable(roles.get(key));
  const isVersioned = parts.version === 0;
  const message = Buffer.concat([
    Uint8Array.from([
      ...(isVersioned ? [VERSION_0] : []),
      signers,
      keys.slice(0, signers).filter(isReadonly).length,
      keys.slice(signers).filter(isReadonly).length,
      ...lengthOf(keys.length),
    ]),
    ...keys.map(keyBytes),
    keyBytes(parts.blockhash),
    Uint8Array.from(lengthOf(parts.instructions.length)),
    ...parts.instructions.flatMap(({ programAddress, accounts = [], data = new Uint8Array() }) => [
      Uint8Array.from([
        placeOf.get(programAddress) ?? 0,
        ...lengthOf(accounts.length),
        ...accounts.map(({ address }) => placeOf.get(address) ?? 0),
        ...lengthOf(data.length),
      ]),
      Uint8Array.from(data),
    ]),
    // No lookup tables.
    Uint8Array.from(isVersioned ? [0] : []),
  ]);
  const places = Buffer.alloc(signers * SIGNATURE_BYTES);
  const wire = Buffer.concat([Uint8Array.from(lengthOf(signers)), places, message]);
  return { wire: Uint8Array.from(wire), message: Uint8Array.from(message) };
}

/** The strongest role in which an account is named. */
function rolesIn({ feePayer, instructions }: MessageParts): ReadonlyMap<string, AccountRole> {
  const roles = new Map<string, AccountRole>([[feePayer, AccountRole.WRITABLE_SIGNER]]);
  const name = (key: string, role: AccountRole) => roles.set(key, (roles.get(key) ?? AccountRole.READONLY) | role);
  for (const { programAddress, accounts = [] } of instructions) {
    name(programAddress, AccountRole.READONLY);
    for (const { address, role } of accounts) name(address, role);
  }
  return roles;
}

const isSigner = (role = AccountRole.READONLY) => (role & AccountRole.READONLY_SIGNER) !== 0;
const isWritable = (role = AccountRole.READONLY) => (role & AccountRole.WRITABLE) !== 0;

/** The fee payer, then signers before others, writable before read-only, and by their text. */
function inOrder(feePayer: string, roles: ReadonlyMap<string, AccountRole>): readonly string[] {
  const compare = getAddressComparator();
  const others = [...roles].filter(([key]) => key !== feePayer);
  const sorted = others.toSorted(([one, role], [other, otherRole]) => otherRole - role || compare(one, other));
  return [feePayer, ...sorted.map(([key]) => key)];
}

function keyBytes(text: string): Uint8Array {
  const bytes = bytesOfBase58(text);
  if (bytes?.length !== KEY_BYTES) throw new Error(`${text} is no Solana address or blockhash`);
  return bytes;
}

/** Seven bits per byte, the lowest first. */
export function lengthOf(count: number): readonly number[] {
  return count < 128 ? [count] : [(count % 128) + 128, ...lengthOf(Math.floor(count / 128))];
}
