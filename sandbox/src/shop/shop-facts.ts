// What a shop's page is told: what may stand in any page, and the test wallets, which stand in this one alone.
import type { OrderView } from './order.ts';

export type ShopFacts = {
  readonly baseUrl: string;
  readonly publishableKey: string;
  /** What the page knows of its own payments, by token; anything else is never signed. */
  readonly expect: Readonly<Record<string, Expected>>;
  readonly timelineUrl: string;
  readonly wallet: {
    readonly privateKey: `0x${string}`;
    readonly rpcUrl: string;
    readonly chainId: number;
    readonly asset: string;
  };
  /** Null where this machine can't run that chain. */
  readonly solana: {
    readonly tokenShortcode: string;
    readonly address: string;
    readonly secret: string;
    readonly rpcUrl: string;
    readonly asset: string;
  } | null;
  readonly order: OrderView | null;
};

export type Expected = { readonly payTo: string; readonly asset: string; readonly network: string };

/** Throws for a token that the shop does not take. */
export function expectOf({ expect }: Pick<ShopFacts, 'expect'>, tokenShortcode: string): Expected {
  const expected = expect[tokenShortcode];
  if (expected === undefined) throw new Error(`the shop does not take ${tokenShortcode}`);
  return expected;
}
