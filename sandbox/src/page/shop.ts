import type { OrderView } from '../shop/order.ts';
import type { ShopFacts } from '../shop/shop-facts.ts';
import { part, readFacts } from './facts.ts';
import { followStream } from './follow.ts';
import { showIcpWallet } from './icp-wallet.ts';
import { createOrderRegion } from './order-region.ts';
import { installSolanaWallet } from './solana-wallet.ts';
import { installTestWallet } from './test-wallet.ts';

const facts = readFacts() as ShopFacts;
installTestWallet(facts);
installSolanaWallet(facts);
showIcpWallet(facts);

const { order } = facts;
if (order !== null) {
  const show = createOrderRegion(part('order'), facts, order);
  show(order);
  followStream(`/orders/${order.id}/stream`, (state) => show(state as OrderView));
}
