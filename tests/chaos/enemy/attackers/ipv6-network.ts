import { type Attacker, itemAt, nothing } from '../attacker.ts';
import { CREATE, TOKEN } from '../hostile-payment.ts';

const NETWORKS = 65_536;

/** Creates from every /64 of one /48 in turn: each is a client of its own, all are one customer. */
export const ipv6Network: Attacker<undefined> = {
  name: 'IPv6 network',
  finding: 'G2',
  perSecond: 21,
  addresses: NETWORKS,
  prepare: nothing,
  strike: async ({ ground, index, ask }) => {
    const { publishableKey: key } = itemAt(ground.shops, 5);
    const headers = { 'x-forwarded-for': `2001:db8:bad:${(index % NETWORKS).toString(16)}::1` };
    await ask({ path: CREATE, key, headers, body: { usdAmount: ground.priceUsd, tokenShortcode: TOKEN } });
  },
};
