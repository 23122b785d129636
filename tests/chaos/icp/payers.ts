// Payers with tokens, who transfer without the service. What each transfer was for is in its block alone.
import { accountNamed, DuplicateTransfer, identityNamed } from '@svc-pay/icp/local';
import type { Offer } from './ask-icp.ts';
import { accountOf, type Identity } from './icp-shop.ts';
import { type IcpChaosWorld, TOKEN_LEDGER } from './world.ts';

export type Payers = {
  readonly all: readonly Identity[];
  /** Transfers as the option asks, or another amount, and answers the block. */
  readonly pay: (payer: Identity, offer: Offer, amountAtomic?: bigint, memo?: Uint8Array) => Promise<bigint>;
  /** A transfer that names no intent. Answers the name of its block. */
  readonly giveBack: (merchant: string, to: string, amountAtomic: bigint) => Promise<string>;
  /** Number of blocks of the ledger, as far as payers saw it grow. */
  readonly length: () => bigint;
};

const PAYERS = 24;
const MINTED_ATOMIC = 1_000_000_000_000n;

export async function openPayers({ ledger, shops }: Pick<IcpChaosWorld, 'ledger' | 'shops'>): Promise<Payers> {
  const all = Array.from({ length: PAYERS }, (_, index) => identityNamed(`payer ${index}`));
  let length = 0n;
  const seen = (index: bigint) => {
    if (index >= length) length = index + 1n;
    return index;
  };
  const owned = [...all, ...shops.map(({ wallet }) => wallet)];
  const identityOf = new Map(owned.map((identity) => [accountOf(identity), identity]));
  const principalOf = (account: string) => {
    const identity = identityOf.get(account);
    if (identity === undefined) throw new Error(`${account} is nobody’s`);
    return identity.getPrincipal();
  };
  const toPrincipal = (owner: ReturnType<Identity['getPrincipal']>) => ({ owner, subaccount: [] as [] });
  for (const identity of owned) seen(await ledger.mint(toPrincipal(identity.getPrincipal()), MINTED_ATOMIC));
  return {
    all,
    length: () => length,
    pay: async (payer, { option }, amountAtomic = BigInt(option.amount), memo) => {
      const transfer = {
        to: accountNamed(option.to.owner),
        amountAtomic,
        memo: memo ?? Buffer.from(option.memo.slice(2), 'hex'),
        createdAtTime: BigInt(option.createdAtTime),
      };
      try {
        return seen(await ledger.transferAs(payer.getPrincipal(), transfer));
      } catch (problem) {
        if (problem instanceof DuplicateTransfer) return problem.duplicateOf;
        throw problem;
      }
    },
    giveBack: async (merchant, to, amountAtomic) => {
      const transfer = { to: toPrincipal(principalOf(to)), amountAtomic, memo: Buffer.from('sorry') };
      return `${TOKEN_LEDGER}:${seen(await ledger.transferAs(principalOf(merchant), transfer))}`;
    },
  };
}
