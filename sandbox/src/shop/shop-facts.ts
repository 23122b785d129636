// Data for the shop's page: public facts, and the test wallets, which only this page may contain.
import type { IcpKey } from '../wallet/icp-test-wallet.ts';
import type { OrderView, ShownItem } from './order.ts';

export type ShopFacts = {
  readonly baseUrl: string;
  readonly publishableKey: string;
  /** Expected payment terms by token; the page never signs anything else. */
  readonly expect: Readonly<Record<string, ExpectedOfToken>>;
  readonly timelineUrl: string;
  readonly wallet: {
    readonly privateKey: `0x${string}`;
    readonly rpcUrl: string;
    readonly chainId: number;
    readonly asset: string;
  };
  /** Null if this machine cannot run the Solana chain. */
  readonly solana: {
    readonly tokenShortcode: string;
    readonly address: string;
    readonly secret: string;
    readonly rpcUrl: string;
    readonly asset: string;
  } | null;
  readonly icp:
    | (IcpKey & {
        readonly tokenShortcode: string;
        /** Boundary node. */
        readonly url: string;
        /** Canister id. */
        readonly ledger: string;
      })
    | null;
  readonly order: OrderView | null;
};

export type Expected = { readonly payTo: string; readonly asset: string; readonly network: string };

/** `wallet`: the shop's own, where a price that is known beforehand is paid directly. */
type ExpectedOfToken = Expected & { readonly wallet?: string };

/** Throws for a token that the shop does not accept. */
export function expectOf(
  { expect }: Pick<ShopFacts, 'expect'>,
  { tokenShortcode, kind }: Pick<ShownItem, 'tokenShortcode' | 'kind'>,
): Expected {
  const expected = expect[tokenShortcode];
  if (expected === undefined) throw new Error(`the shop does not take ${tokenShortcode}`);
  const { wallet, payTo, ...rest } = expected;
  return { ...rest, payTo: kind === 'exact' && wallet !== undefined ? wallet : payTo };
}
