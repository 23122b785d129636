// The two instructions of a payment by signed text, adjacent and in this order: the payer's signature, which the
// runtime verifies, and the program's instruction, which compares the signed text with what it is asked to do.
import { AccountRole, address, type Instruction } from '@solana/kit';
import { ED25519_PROGRAM, INSTRUCTIONS_SYSVAR, SYSTEM_PROGRAM } from '../transfer/programs.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';
import type { MessageTerms } from './message-terms.ts';
import { bytesOf, delegateOf, type ReceiptName, receiptOf, signed64, unsigned64 } from './program-accounts.ts';

const [PAY, CLOSE] = [0, 1];
const SIGNATURE_AT = 48;
const SIGNER_AT = 16;
const TEXT_AT = 112;
/** Instruction index that means "this instruction". */
const HERE = 0xff_ff;

export function evidenceInstruction(payer: string, signature: Uint8Array, text: string): Instruction {
  const words = Buffer.from(text, 'utf8');
  const head = Buffer.alloc(SIGNER_AT);
  head.writeUInt8(1, 0);
  for (const [index, value] of [SIGNATURE_AT, HERE, SIGNER_AT, HERE, TEXT_AT, words.length, HERE].entries())
    head.writeUInt16LE(value, 2 + 2 * index);
  const data = Buffer.concat([head, bytesOf(payer), signature, words]);
  return { programAddress: ED25519_PROGRAM, accounts: [], data: Uint8Array.from(data) };
}

export async function payInstruction(terms: MessageTerms): Promise<Instruction> {
  const { program, payer, relayer, mint, tokenProgram, legs, intentId, nonce } = terms;
  const [delegate, receipt] = await Promise.all([delegateOf(program), receiptOf(terms)]);
  const accountOf = async (owner: string) => address(await tokenAccountOf(owner, mint, tokenProgram));
  const data = Buffer.concat([
    Buffer.from([PAY, delegate.bump, receipt.bump, legs.length]),
    signed64(terms.validAfterSeconds),
    signed64(terms.validBeforeSeconds),
    Buffer.from(nonce, 'hex'),
    ...legs.map(({ amountAtomic }) => unsigned64(amountAtomic)),
    Buffer.from(intentId, 'utf8'),
  ]);
  const writable = (key: string) => ({ address: address(key), role: AccountRole.WRITABLE });
  const readonly = (key: string) => ({ address: address(key), role: AccountRole.READONLY });
  return {
    programAddress: address(program),
    accounts: [
      { address: address(relayer), role: AccountRole.WRITABLE_SIGNER },
      writable(await accountOf(payer)),
      readonly(mint),
      readonly(delegate.address),
      writable(receipt.address),
      readonly(tokenProgram),
      readonly(SYSTEM_PROGRAM),
      readonly(INSTRUCTIONS_SYSVAR),
      ...(await Promise.all(legs.map(async ({ owner }) => writable(await accountOf(owner))))),
    ],
    data: Uint8Array.from(data),
  };
}

/** Returns the rent to the relayer that paid it; valid once the text has expired. */
export async function closeInstruction(name: ReceiptName): Promise<Instruction> {
  const { program, payer, relayer, nonce, validBeforeSeconds } = name;
  const receipt = await receiptOf(name);
  const data = Buffer.concat([
    Buffer.from([CLOSE, receipt.bump]),
    signed64(validBeforeSeconds),
    Buffer.from(nonce, 'hex'),
    bytesOf(payer),
  ]);
  return {
    programAddress: address(program),
    accounts: [
      { address: address(receipt.address), role: AccountRole.WRITABLE },
      { address: address(relayer), role: AccountRole.WRITABLE },
    ],
    data: Uint8Array.from(data),
  };
}
