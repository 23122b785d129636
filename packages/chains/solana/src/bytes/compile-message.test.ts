import { AccountRole, address } from '@solana/kit';
import { expect, test } from 'vitest';
import { drawActors } from '../testing/actors.ts';
import { alter } from '../testing/alter.ts';
import { budgetFor, budgetInstructions } from '../transfer/compute-budget.ts';
import { prepareTransfer } from '../transfer/prepare-transfer.ts';
import { LIGHTHOUSE_PROGRAM } from '../transfer/programs.ts';
import { transferInstructions } from '../transfer/transfer-instructions.ts';
import { compileUnsigned } from './compile-message.ts';

const lifetime = { blockhash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', lastValidBlockHeight: 9n, slot: 1n };

test('a transaction has the bytes that the library writes, in both formats and in whatever order its addresses are', async () => {
  for (let round = 0; round < 25; round += 1) {
    const { terms: termsOf, stranger, relayer, payer } = await drawActors();
    const terms = { ...termsOf(`pi_${'x'.repeat(round * 8)}`), reference: stranger.address };
    const made = await prepareTransfer(terms, lifetime);
    if (!made.ok) throw new Error(made.code);
    expect(made.prepared.wire).toEqual(await alter(made.prepared, {}));
    // The payer is named in three roles; the strongest counts.
    const guard = {
      programAddress: LIGHTHOUSE_PROGRAM,
      accounts: [
        { address: payer.address, role: AccountRole.WRITABLE },
        { address: address(relayer.address), role: AccountRole.READONLY },
      ],
    };
    const instructions = [
      ...budgetInstructions(budgetFor(terms.legs.length)),
      ...(await transferInstructions(terms)),
      guard,
    ];
    for (const version of [0, 'legacy'] as const) {
      const wanted = await alter(made.prepared, { version, feePayer: payer.address, after: [guard] });
      const { blockhash } = lifetime;
      expect(compileUnsigned({ version, feePayer: payer.address, blockhash, instructions }).wire).toEqual(wanted);
    }
  }
});

test('what is no address is not written', () => {
  const parts = { version: 0, blockhash: lifetime.blockhash, instructions: [] } as const;
  for (const feePayer of ['', '0', '1'.repeat(31), '1'.repeat(33)])
    expect(() => compileUnsigned({ ...parts, feePayer })).toThrow('no Solana address');
});
