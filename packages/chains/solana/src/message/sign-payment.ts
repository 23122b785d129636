// The transaction of a payment by signed text. The relayer builds it and is its only signer; the same terms and
// blockhash give the same bytes.
import {
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  type Instruction,
  pipe,
  type SignatureBytes,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit';
import { base58Of } from '../bytes/base58.ts';
import type { Lifetime } from '../rpc/solana-node.ts';
import type { CoSigned } from '../signer/co-sign.ts';
import type { RelayerSigner } from '../signer/relayer-signer.ts';
import { budgetInstructions, type ComputeBudget } from '../transfer/compute-budget.ts';
import { MAX_WIRE_BYTES } from '../transfer/prepare-transfer.ts';
import type { MessageTerms } from './message-terms.ts';
import { messageText } from './message-text.ts';
import { evidenceInstruction, payInstruction } from './pay-instructions.ts';

const MICRO_LAMPORTS_PER_UNIT = 10_000n;
/** Compute units of the program itself, and of each transfer; generous, for token programs that need more. */
const [UNITS_AT_LEAST, UNITS_PER_LEG] = [60_000, 10_000];

export const messageBudget = (legs: number): ComputeBudget => ({
  units: UNITS_AT_LEAST + UNITS_PER_LEG * legs,
  microLamportsPerUnit: MICRO_LAMPORTS_PER_UNIT,
});

export type SignedText = { readonly signature: Uint8Array; readonly text: string };

export async function buildPayment(
  terms: MessageTerms,
  { signature, text }: SignedText,
  lifetime: Pick<Lifetime, 'blockhash' | 'lastValidBlockHeight'>,
): Promise<Transaction> {
  return compile(
    terms.relayer,
    [
      ...budgetInstructions(messageBudget(terms.legs.length)),
      evidenceInstruction(terms.payer, signature, text),
      await payInstruction(terms),
    ],
    lifetime,
  );
}

/** Whether the payment fits into one transaction. */
export async function fitsTransaction(terms: MessageTerms): Promise<boolean> {
  const text = await messageText(terms);
  const lifetime = { blockhash: terms.relayer, lastValidBlockHeight: 0n };
  const built = await buildPayment(terms, { signature: new Uint8Array(64), text }, lifetime);
  return getTransactionEncoder().encode(built).length <= MAX_WIRE_BYTES;
}

export function compile(
  feePayer: string,
  instructions: readonly Instruction[],
  { blockhash, lastValidBlockHeight }: Pick<Lifetime, 'blockhash' | 'lastValidBlockHeight'>,
): Transaction {
  return pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayer(address(feePayer), draft),
    (draft) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash as Blockhash, lastValidBlockHeight }, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
    compileTransaction,
  );
}

/** Signs a transaction whose only signer is the relayer. */
export async function signSingle(transaction: Transaction, relayer: RelayerSigner): Promise<CoSigned> {
  const [feePayer, ...others] = Object.keys(transaction.signatures);
  if (feePayer !== relayer.address || others.length > 0) {
    throw new Error(`relayer ${relayer.address} can't sign alone: the signers are ${[feePayer, ...others].join(', ')}`);
  }
  const own = await relayer.signMessage(Uint8Array.from(transaction.messageBytes));
  const signatures = { [address(feePayer)]: own as SignatureBytes };
  return {
    transactionId: base58Of(own),
    wire: Uint8Array.from(getTransactionEncoder().encode({ ...transaction, signatures })),
  };
}
