// Items of the shop. A new scheme or chain is a new entry here: the code that sells, charges and shows items uses only
// this list. Amounts are in the token's smallest unit.

export type Item = {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly tokenShortcode: string;
  readonly sale:
    | { readonly kind: 'exact'; readonly priceAtomic: bigint }
    /** The payer signs a cap; every unit used costs `unitAtomic`. */
    | { readonly kind: 'upto'; readonly capAtomic: bigint; readonly unitAtomic: bigint };
};

export const ITEMS: readonly Item[] = [
  {
    id: 'tea',
    name: 'A pot of Darjeeling',
    about: 'First flush, three minutes. One price, paid straight to the shop’s own wallet.',
    tokenShortcode: 'anvil_usdc',
    sale: { kind: 'exact', priceAtomic: 4_200_000n },
  },
  {
    id: 'verse',
    name: 'Verse by the line',
    about: 'Sign a limit, read as far as you like, pay for what you read. Goes through the processor.',
    tokenShortcode: 'anvil_usdc',
    sale: { kind: 'upto', capAtomic: 1_000_000n, unitAtomic: 50_000n },
  },
  {
    id: 'biscuits',
    name: 'A plate of biscuits',
    about: 'Paid on Solana, by a wallet that needs no SOL.',
    tokenShortcode: 'soldevnet_usdc',
    sale: { kind: 'exact', priceAtomic: 2_500_000n },
  },
  {
    id: 'honey',
    name: 'A jar of honey',
    about: 'Paid on the Internet Computer, by one transfer of ckUSDC from your account to the shop’s.',
    tokenShortcode: 'iclocal_ckusdc',
    sale: { kind: 'exact', priceAtomic: 3_100_000n },
  },
];

export const itemOf = (id: string): Item | undefined => ITEMS.find((item) => item.id === id);

/** Maximum price of an order. */
export const ceilingOf = ({ sale }: Item): bigint => (sale.kind === 'exact' ? sale.priceAtomic : sale.capAtomic);
