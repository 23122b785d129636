// A payer without a page: the browser's SDK in Node, with a wallet that accepts by default.
import type { LocalKey } from '@svc-pay/evm/local';
import { createSvcPay, type SvcPay } from '@svc-pay/sdk';
import { evmWallet } from '@svc-pay/sdk/evm';
import type { ShopFacts } from '../shop/shop-facts.ts';
import { createTestProvider, type SignQuestion } from './test-provider.ts';

export type NodePayer = { readonly key: LocalKey; readonly pay: SvcPay };

export type PayerOptions = {
  readonly facts: Pick<ShopFacts, 'baseUrl' | 'publishableKey' | 'wallet'>;
  readonly key: LocalKey;
  readonly confirm?: (question: SignQuestion) => Promise<boolean>;
  readonly fetch?: typeof fetch;
};

export function payerInNode({ facts, key, confirm = async () => true, fetch }: PayerOptions): NodePayer {
  const { baseUrl, publishableKey, wallet } = facts;
  const provider = createTestProvider({ ...wallet, privateKey: key.privateKey, confirm });
  const ports = fetch === undefined ? {} : { ports: { fetch } };
  return { key, pay: createSvcPay({ baseUrl, publishableKey, wallet: evmWallet({ provider }), ...ports }) };
}
