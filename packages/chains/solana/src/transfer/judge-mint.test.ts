import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { expect, test } from 'vitest';
import { localMint } from '../local/local-mint.ts';
import { judgeMint } from './judge-mint.ts';
import { TOKEN_2022_PROGRAM } from './programs.ts';

const { data } = await localMint();
/** A Token-2022 mint: padded, marked as a mint, then kind, length and bytes of each extension. */
const extended = (...extensions: readonly (readonly [kind: number, length: number])[]) => {
  const parts = extensions.map(([kind, length]) => {
    const part = Buffer.alloc(4 + length);
    part.writeUInt16LE(kind);
    part.writeUInt16LE(length, 2);
    return part;
  });
  return {
    owner: TOKEN_2022_PROGRAM,
    data: Uint8Array.from(Buffer.concat([data, Buffer.alloc(83), Buffer.of(1), ...parts])),
  };
};

test('a plain mint of either token program is good', () => {
  const good = { ok: true, decimals: 6 };
  expect(judgeMint({ owner: TOKEN_PROGRAM_ADDRESS, data })).toEqual({ ...good, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  expect(judgeMint({ owner: TOKEN_2022_PROGRAM, data })).toEqual({ ...good, tokenProgram: TOKEN_2022_PROGRAM });
  expect(judgeMint(extended([18, 64], [19, 100], [3, 32]))).toMatchObject(good);
});

test.each([
  [1, 108, 'transfer_fee'],
  [12, 32, 'permanent_delegate'],
  [14, 64, 'transfer_hook'],
  [9, 0, 'extension_unknown'],
  [26, 33, 'extension_unknown'],
] as const)('a mint with extension %i is refused wherever it stands', (kind, length, code) => {
  expect(judgeMint(extended([kind, length]))).toEqual({ ok: false, code });
  expect(judgeMint(extended([18, 64], [kind, length], [19, 7]))).toEqual({ ok: false, code });
});

test('half an extension is no extension that we know', () => {
  const { owner, data: whole } = extended([18, 64]);
  expect(judgeMint({ owner, data: whole.slice(0, -1) })).toEqual({ ok: false, code: 'extension_unknown' });
});

test('anything else is no mint', () => {
  const no = { ok: false, code: 'not_a_mint' };
  expect(judgeMint(null)).toEqual(no);
  expect(judgeMint({ owner: TOKEN_PROGRAM_ADDRESS, data: new Uint8Array(165) })).toEqual(no);
  expect(judgeMint({ owner: TOKEN_PROGRAM_ADDRESS, data: new Uint8Array(82) })).toEqual(no);
  expect(judgeMint({ owner: '11111111111111111111111111111111', data })).toEqual(no);
});
