// The token, its program and the sum of the transfers in a message.
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { TOKEN_2022_PROGRAM } from '../transfer/programs.ts';
import type { MessageV0 } from '../verify/read-transaction.ts';

export type MovedTokens = {
  readonly mint: string;
  readonly tokenProgram: string;
  readonly decimals: number;
  readonly amount: bigint;
};

const TRANSFER_CHECKED = 12;
const MINT_AT = 1;
const TOKEN_PROGRAMS: readonly (string | undefined)[] = [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM];

/** Undefined where there is no transfer, or where the transfers are of more than one token. */
export function readMovedTokens({ staticAccounts, instructions }: MessageV0): MovedTokens | undefined {
  let moved: MovedTokens | undefined;
  for (const { programAddressIndex, accountIndices = [], data = new Uint8Array() } of instructions) {
    const tokenProgram = staticAccounts[programAddressIndex];
    const bytes = Buffer.from(data);
    if (tokenProgram === undefined || !TOKEN_PROGRAMS.includes(tokenProgram)) continue;
    const mint = staticAccounts[accountIndices[MINT_AT] ?? -1];
    if (bytes.length !== 10 || bytes[0] !== TRANSFER_CHECKED || mint === undefined) return undefined;
    const [amount, decimals] = [bytes.readBigUInt64LE(1), bytes.readUInt8(9)];
    if (moved !== undefined && (moved.mint !== mint || moved.tokenProgram !== tokenProgram)) return undefined;
    moved = { mint, tokenProgram, decimals, amount: (moved?.amount ?? 0n) + amount };
  }
  return moved;
}
