// Compares a signed transaction with the agreed one. A wallet may add guards and change the compute budget; every other
// instruction must be as agreed, in the same order.
import type { Instruction } from '@solana/kit';
import { type BudgetPart, isBearable, readBudgetPart } from '../transfer/compute-budget.ts';
import { COMPUTE_BUDGET_PROGRAM, LIGHTHOUSE_PROGRAM, MEMO_PROGRAM, NEWER_MEMO_PROGRAM } from '../transfer/programs.ts';
import { transferInstructions } from '../transfer/transfer-instructions.ts';
import type { TransferTerms } from '../transfer/transfer-terms.ts';
import type { MessageV0 } from './read-transaction.ts';
import type { TransactionFlaw } from './refusal.ts';

const MAX_GUARDS = 4;

/** Undefined when the message does what the terms say and nothing else except accepted guards. */
export async function flawIn(message: MessageV0, terms: TransferTerms): Promise<TransactionFlaw | undefined> {
  const sent = instructionsOf(message);
  if (sent === undefined || namesUnused(message, sent)) return 'accounts';
  return (
    budgetFlaw(sent.filter(({ program }) => program === COMPUTE_BUDGET_PROGRAM)) ??
    guardFlaw(
      sent.filter(({ program }) => program === LIGHTHOUSE_PROGRAM),
      terms.relayer,
    ) ??
    firstDifference(
      sent.filter(({ program }) => program !== COMPUTE_BUDGET_PROGRAM && program !== LIGHTHOUSE_PROGRAM),
      (await transferInstructions(terms)).map(plain),
    )
  );
}

type Plain = { readonly program: string; readonly accounts: readonly string[]; readonly data: Uint8Array };

function instructionsOf({ staticAccounts, instructions }: MessageV0): readonly Plain[] | undefined {
  const resolved = instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
    program: staticAccounts[programAddressIndex],
    accounts: accountIndices.map((index) => staticAccounts[index]),
    data: Uint8Array.from(data),
  }));
  const complete = resolved.every(({ program, accounts }) => program !== undefined && !accounts.includes(undefined));
  return complete ? (resolved as readonly Plain[]) : undefined;
}

function namesUnused({ staticAccounts }: MessageV0, sent: readonly Plain[]): boolean {
  const used = new Set(sent.flatMap(({ program, accounts }) => [program, ...accounts]));
  const [, ...others] = staticAccounts;
  return new Set(staticAccounts).size !== staticAccounts.length || others.some((account) => !used.has(account));
}

function budgetFlaw(sent: readonly Plain[]): TransactionFlaw | undefined {
  const parts = sent.map(({ data, accounts }) => (accounts.length === 0 ? readBudgetPart(data) : undefined));
  // Exactly one of each: with two, it is unclear which one the chain would use.
  const { units, microLamportsPerUnit } = parts.reduce<BudgetPart>((all, part) => ({ ...all, ...part }), {});
  if (sent.length !== 2 || units === undefined || microLamportsPerUnit === undefined) return 'compute_budget';
  return isBearable({ units, microLamportsPerUnit }) ? undefined : 'compute_budget';
}

/** A guard can create an account, and any account that it names may have to pay for it. */
function guardFlaw(guards: readonly Plain[], relayer: string): TransactionFlaw | undefined {
  const touched = guards.some(({ accounts }) => accounts.includes(relayer));
  return guards.length > MAX_GUARDS || touched ? 'guards' : undefined;
}

function plain({ programAddress, accounts = [], data = new Uint8Array() }: Instruction): Plain {
  return { program: programAddress, accounts: accounts.map(({ address }) => address), data: Uint8Array.from(data) };
}

const [MINT_PLACE, DESTINATION_PLACE] = [1, 2];

function firstDifference(sent: readonly Plain[], agreed: readonly Plain[]): TransactionFlaw | undefined {
  if (sent.length !== agreed.length) return 'instructions';
  for (const [index, wanted] of agreed.entries()) {
    const flaw = differenceOf(sent[index], wanted);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

function differenceOf(sent: Plain | undefined, wanted: Plain): TransactionFlaw | undefined {
  if (sent === undefined) return 'instructions';
  const sameData = Buffer.compare(sent.data, wanted.data) === 0;
  if (wanted.program === MEMO_PROGRAM) {
    if (sent.program !== MEMO_PROGRAM && sent.program !== NEWER_MEMO_PROGRAM) return 'instructions';
    return sameData && sent.accounts.length === 0 ? undefined : 'memo';
  }
  // The first byte selects the token program's instruction.
  if (sent.program !== wanted.program || sent.data[0] !== wanted.data[0]) return 'instructions';
  if (sent.accounts.length !== wanted.accounts.length) return 'instructions';
  if (sent.accounts[MINT_PLACE] !== wanted.accounts[MINT_PLACE]) return 'mint';
  if (sent.accounts[DESTINATION_PLACE] !== wanted.accounts[DESTINATION_PLACE]) return 'destination';
  if (sent.accounts.some((account, place) => account !== wanted.accounts[place])) return 'instructions';
  return sameData ? undefined : 'amount';
}
