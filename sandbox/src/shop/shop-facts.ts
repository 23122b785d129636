// What a shop's page is told: what may stand in any page, and the test wallet, which stands in this one alone.
import type { OrderView } from './order.ts';

export type ShopFacts = {
  readonly baseUrl: string;
  readonly publishableKey: string;
  /** What the page knows of its own payments; anything else is never signed. */
  readonly expect: { readonly payTo: string; readonly asset: string; readonly network: string };
  readonly timelineUrl: string;
  readonly wallet: { readonly privateKey: `0x${string}`; readonly rpcUrl: string; readonly chainId: number };
  readonly order: OrderView | null;
};
