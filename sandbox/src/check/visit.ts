// A visitor of the shop: actions over HTTP and the SDK, and what they can read.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@svc-pay/core';
import { newKey } from '@svc-pay/evm/local';
import type { IntentToPay } from '@svc-pay/sdk';
import { createSvcPay as createServer, type SvcPay as Server } from '@svc-pay/server';
import type { OrderView } from '../shop/order.ts';
import { expectOf } from '../shop/shop-facts.ts';
import type { Sandbox } from '../start-sandbox.ts';
import { type NodePayer, type PayerOptions, payerInNode } from '../wallet/pay-in-node.ts';
import type { Trail } from '../watch/trail.ts';

type Answer = { readonly status: number; readonly body: unknown };

export type Visit = {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** The merchant's server library, with its secret key. */
  readonly server: Server;
  /** Creates a wallet with the given amount of test USDC. */
  readonly payer: (amountAtomic: bigint, options?: Partial<PayerOptions>) => Promise<NodePayer>;
  readonly balanceOf: (payer: NodePayer) => Promise<bigint>;
  readonly order: (item: string) => Promise<OrderView>;
  readonly post: (path: string, form?: Readonly<Record<string, string>>) => Promise<Answer>;
  /** Polls the shop until the order has the status. */
  readonly untilOrderIs: (id: string, status: OrderView['status']) => Promise<OrderView>;
  /** Repeats until it is true; throws `what` on a timeout. */
  readonly until: (what: string, isSo: () => Promise<boolean>) => Promise<void>;
};

const POLL_MS = 100;

export function createVisit(sandbox: Sandbox, clock: Clock, giveUp: AbortSignal): Visit {
  const { world, shopUrl, facts } = sandbox;
  const { chain, account, baseUrl } = world;
  const server = createServer({ baseUrl, secretKey: account.secretKey, accountId: account.id });
  const json = { accept: 'application/json' };
  const until: Visit['until'] = async (what, isSo) => {
    while (!(await isSo())) {
      if (giveUp.aborted) throw new Error(`gave up waiting for: ${what}`);
      await sleep(POLL_MS);
    }
  };
  const find = async (id: string) =>
    (await (await fetch(`${shopUrl}/orders/${id}`, { headers: json })).json()) as OrderView;
  const post: Visit['post'] = async (path, form) => {
    const body = form && new URLSearchParams(form);
    const response = await fetch(`${shopUrl}${path}`, { method: 'POST', headers: json, ...(body && { body }) });
    return { status: response.status, body: await response.json() };
  };
  return {
    sandbox,
    clock,
    server,
    until,
    payer: async (amountAtomic, options = {}) => {
      const key = newKey();
      if (amountAtomic > 0n) await chain.mint(chain.tokens.usdc, key.account.address, amountAtomic);
      return payerInNode({ facts, key, ...options });
    },
    balanceOf: ({ key }) => chain.balanceOf(chain.tokens.usdc, key.account.address),
    order: async (item) => {
      const { body } = await post('/orders', { item });
      return body as OrderView;
    },
    post,
    untilOrderIs: async (id, status) => {
      let order = await find(id);
      await until(`the order is ${status}`, async () => {
        order = await find(id);
        return order.status === status;
      });
      return order;
    },
  };
}

/** Payment request as the page makes it. */
export function requestFor({ facts }: Sandbox, { intentId, clientSecret, shown }: OrderView): IntentToPay {
  insist(intentId !== null && clientSecret !== null, 'the order has no intent');
  return { paymentIntentId: intentId ?? '', clientSecret: clientSecret ?? '', expect: expectOf(facts, shown) };
}

/** What the timeline shows of a payment. */
export async function readTrail({ timelineUrl }: Sandbox, intentId: string): Promise<Trail> {
  return (await (await fetch(`${timelineUrl}/payments/${intentId}/trail`)).json()) as Trail;
}

export function insist(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}
