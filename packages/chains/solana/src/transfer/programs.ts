import { address } from '@solana/kit';

export const COMPUTE_BUDGET_PROGRAM = address('ComputeBudget111111111111111111111111111111');
/** The memo program that every cluster has. */
export const MEMO_PROGRAM = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
/** The successor of the memo program, with the same format; a wallet may prefer it. */
export const NEWER_MEMO_PROGRAM = address('Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH');
/** Assertions that wallets add to protect their owner; they revert the transaction or have no effect. */
export const LIGHTHOUSE_PROGRAM = address('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');
export const TOKEN_2022_PROGRAM = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
export const ED25519_PROGRAM = address('Ed25519SigVerify111111111111111111111111111');
export const SYSTEM_PROGRAM = address('11111111111111111111111111111111');
export const INSTRUCTIONS_SYSVAR = address('Sysvar1nstructions1111111111111111111111111');
