// Reads what a transaction did to token balances, whoever owns them.

import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { ChainUnavailable, type MovedBalance, type TokenMovement } from '@svc-pay/core';
import { accountKeysIn, type TransactionAnswer } from '../rpc/answer-shapes.ts';
import { TOKEN_2022_PROGRAM } from '../transfer/programs.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';

type Sides = { readonly account: string; readonly mint: string; before?: Side; after?: Side };
type Side = { readonly owner: string; readonly amountAtomic: bigint };

/** Null for a transaction that failed. Throws `ChainUnavailable` where the node does not tell whose accounts changed. */
export async function readMovement(told: TransactionAnswer): Promise<TokenMovement | null> {
  const { slot, blockTime, transaction, meta } = told;
  if (meta.err !== null) return null;
  const accounts = accountKeysIn(told);
  const [feePayer] = accounts;
  const [transactionId] = transaction.signatures;
  if (feePayer === undefined || transactionId === undefined)
    throw new ChainUnavailable('getTransaction: a transaction without a signer');
  const signers = new Set(accounts.slice(0, transaction.signatures.length));
  const changed = [...sidesOf(told, accounts).values()].filter((sides) => deltaOf(sides) !== 0n);
  const changes = await Promise.all(changed.map((sides) => changeOf(sides, signers)));
  return { transactionId, slot, blockTimeSeconds: blockTime ?? undefined, feePayer, changes };
}

function sidesOf({ meta }: TransactionAnswer, accounts: readonly string[]): ReadonlyMap<string, Sides> {
  const found = new Map<string, Sides>();
  const add = (balances: TransactionAnswer['meta']['preTokenBalances'], side: 'before' | 'after') => {
    for (const { accountIndex, mint, owner, uiTokenAmount } of balances ?? []) {
      const account = accounts[Number(accountIndex)];
      if (account === undefined) throw new ChainUnavailable('getTransaction: a balance of no account');
      if (typeof owner !== 'string') throw new ChainUnavailable('getTransaction: a balance of no owner');
      // An account may be closed and made again for another mint.
      const key = `${account}/${mint}`;
      const sides = found.get(key) ?? { account, mint };
      sides[side] = { owner, amountAtomic: BigInt(uiTokenAmount.amount) };
      found.set(key, sides);
    }
  };
  add(meta.preTokenBalances, 'before');
  add(meta.postTokenBalances, 'after');
  return found;
}

const deltaOf = ({ before, after }: Sides): bigint => (after?.amountAtomic ?? 0n) - (before?.amountAtomic ?? 0n);

async function changeOf(sides: Sides, signers: ReadonlySet<string>): Promise<MovedBalance> {
  const { account, mint, before, after } = sides;
  const deltaAtomic = deltaOf(sides);
  const owner = (deltaAtomic > 0n ? after : before)?.owner ?? '';
  const expected = await Promise.all(
    [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM].map((program) => tokenAccountOf(owner, mint, program)),
  );
  return { mint, owner, deltaAtomic, isAssociated: expected.includes(account), hasSigned: signers.has(owner) };
}
