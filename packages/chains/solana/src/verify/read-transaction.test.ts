// What is read by hand is what the library reads, for whatever bytes a client sends.
import {
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
} from '@solana/kit';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { drawActors, signAsWallet } from '../testing/actors.ts';
import { prepareTransfer } from '../transfer/prepare-transfer.ts';
import { readTransaction } from './read-transaction.ts';

const lifetime = { blockhash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', lastValidBlockHeight: 9n, slot: 1n };

let signed: Buffer;
beforeAll(async () => {
  const actors = await drawActors();
  const made = await prepareTransfer(actors.terms('pi_1'), lifetime);
  if (!made.ok) throw new Error(made.code);
  signed = Buffer.from(await signAsWallet(made.prepared.wire, actors.payer), 'base64');
});

/** By the library: read, written again, and compared. */
function readByLibrary(wire: Uint8Array) {
  try {
    const transaction = getTransactionDecoder().decode(wire);
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    const same = Buffer.from(getTransactionEncoder().encode(transaction)).equals(wire);
    const meant = Buffer.from(getCompiledTransactionMessageEncoder().encode(message));
    const whole = same && meant.equals(Buffer.from(transaction.messageBytes)) && message.version === 0;
    return whole && (message.addressTableLookups ?? []).length === 0 ? { transaction, message } : undefined;
  } catch {
    return undefined;
  }
}

const plain = (value: unknown) => JSON.stringify(value, (_, one) => (one instanceof Uint8Array ? [...one] : one));
const inWords = ({ transaction, message }: NonNullable<ReturnType<typeof readByLibrary>>) => {
  const { version, header, staticAccounts, lifetimeToken, instructions } = message as typeof message & {
    header: unknown;
    staticAccounts: unknown;
    instructions: readonly { programAddressIndex: number; accountIndices?: number[]; data?: Uint8Array }[];
  };
  return plain([
    Object.entries(transaction.signatures),
    transaction.messageBytes,
    [version, header, staticAccounts, lifetimeToken],
    instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => [
      programAddressIndex,
      accountIndices,
      data,
    ]),
  ]);
};

function expectAlike(wire: Uint8Array): void {
  const ours = readTransaction(Buffer.from(wire).toString('base64'));
  const wanted = readByLibrary(wire);
  expect(ours.ok).toBe(wanted !== undefined);
  if (ours.ok && wanted) expect(inWords(ours)).toBe(inWords(wanted));
}

test('a transaction is read as the library reads it', () => {
  expect(readByLibrary(Uint8Array.from(signed))).toBeDefined();
  expectAlike(Uint8Array.from(signed));
});

test('bytes that were changed, inserted or removed are read alike, or refused alike', () => {
  const change = fc.tuple(fc.constantFrom('set', 'insert', 'remove'), fc.nat(), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const bytes = [...signed];
      for (const [how, at, byte] of changes) {
        const place = at % bytes.length;
        if (how === 'set') bytes[place] = byte;
        else if (how === 'insert') bytes.splice(place, 0, byte);
        else bytes.splice(place, 1);
      }
      expectAlike(Uint8Array.from(bytes));
    }),
    { numRuns: 1_500 },
  );
});

test('a length in another spelling, and the same signer twice, are refused', () => {
  const longer = Buffer.concat([Buffer.of(0x82, 0x00), signed.subarray(1)]);
  expect(readTransaction(longer.toString('base64'))).toMatchObject({ flaw: 'undecodable' });
  const twice = Buffer.from(signed);
  const keys = 1 + 2 * 64 + 5;
  twice.copyWithin(keys + 32, keys, keys + 32);
  expect(readTransaction(twice.toString('base64'))).toMatchObject({ flaw: 'undecodable' });
});
