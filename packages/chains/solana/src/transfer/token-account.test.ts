import { generateKeyPairSigner, isOffCurveAddress } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { tokenAccountOf as derivedByHand } from '@svc-pay/protocol/solana';
import { expect, test } from 'vitest';
import { DEVNET_USDC } from '../local/local-mint.ts';
import { TOKEN_2022_PROGRAM } from './programs.ts';
import { tokenAccountOf } from './token-account.ts';

test('the account that a client derives by hand is the one that is paid into', async () => {
  for (let round = 0; round < 40; round += 1) {
    const { address: owner } = await generateKeyPairSigner();
    const program = round % 2 === 0 ? TOKEN_PROGRAM_ADDRESS : TOKEN_2022_PROGRAM;
    const account = await tokenAccountOf(owner, DEVNET_USDC, program);
    expect(derivedByHand(owner, DEVNET_USDC, program)).toBe(account);
    expect(isOffCurveAddress(account as typeof owner)).toBe(true);
  }
});
