// Payers who call `pay` of the processor with less than was asked: the chain reader finds a mismatched payment. Each has an
// account of its own, with its allowance before the first payment: a reorganisation takes back what an account did within it.
import { mockUsdcAbi, paymentProcessorAbi } from '@svc-pay/evm';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  type PrivateKeyAccount,
  parseEther,
} from 'viem';
import { nowMs } from '../harness/clock.ts';
import type { Dice } from '../harness/dice.ts';
import { waitUntil } from '../harness/wait-until.ts';
import type { PaidPayment } from '../refunds/refund-calls.ts';
import { askOneOf } from './ask-api.ts';
import { CREATE } from './journey.ts';
import type { SettlementWorld } from './world.ts';

export type OddPayers = {
  readonly addresses: readonly Address[];
  /** Undefined when the payers are used up, or the service never showed the payment. */
  readonly pay: (number: number, dice: Dice) => Promise<PaidPayment | undefined>;
};

const PAYERS = 80;
const ASKED_ATOMIC = 2_000_000n;
const GAS = 1_500_000n;
const RESEND_MS = 8_000;
const PATIENCE_MS = 240_000;

export async function openOddPayers({ chain, shops, apiUrls, history, postgres }: SettlementWorld): Promise<OddPayers> {
  const client = createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 100 });
  const { usdc } = chain.tokens;
  const { processor } = chain.record;
  const signed = async (account: PrivateKeyAccount, to: Address, data: Hex, nonce: number): Promise<Hex> => {
    const wallet = createWalletClient({ account, transport: http(chain.rpcUrl) });
    const fees = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
    return wallet.signTransaction({ to, data, nonce, gas: GAS, ...fees, chainId: chain.chainId, chain: null });
  };
  const accounts = await Promise.all(Array.from({ length: PAYERS }, () => chain.newKey(parseEther('1')))).then((keys) =>
    keys.map(({ account }) => account),
  );
  const allow = encodeFunctionData({ abi: mockUsdcAbi, functionName: 'approve', args: [processor, ASKED_ATOMIC] });
  const approvals = await Promise.all(
    accounts.map(async (account) =>
      client.sendRawTransaction({ serializedTransaction: await signed(account, usdc, allow, 0) }),
    ),
  );
  await Promise.all(approvals.map((hash) => client.waitForTransactionReceipt({ hash })));
  const left = [...accounts];
  const until = async <Value>(attempt: () => Promise<Value | undefined>): Promise<Value | undefined> => {
    let value: Value | undefined;
    const isOver = async () => {
      value = await attempt();
      return value !== undefined;
    };
    await waitUntil(async () => !history.isOpen() || (await isOver()), PATIENCE_MS, 1_000);
    return value;
  };
  return {
    addresses: accounts.map(({ address }) => address),
    pay: async (number, dice) => {
      const account = left.pop();
      // Those with a direct payout are the first: it is what they offer.
      const shop = dice.pick(shops.slice(2));
      if (account === undefined) return undefined;
      const ask = (path: string, key: string, body?: object) =>
        askOneOf(apiUrls, number, { path, key, ...(body && { body }) }, () => {});
      const created = await until(async () => {
        const told = await ask(CREATE, shop.publishableKey, {
          amount: String(ASKED_ATOMIC),
          tokenShortcode: 'anvil_usdc',
        });
        return told?.http === 402 ? String(told.body['paymentIntentId']) : undefined;
      });
      const intent = created ?? '';
      const terms = await until(async () => {
        const { rows } = await postgres.pool.query<{ code: string; payout: string }>(
          `select i.intent_code::text as code, p.payout_id::text as payout
           from svc.intents i join svc.payouts p on p.account_id = i.account_id where i.id = $1`,
          [intent],
        );
        return rows[0];
      });
      if (terms === undefined) return undefined;
      const paidAtomic = ASKED_ATOMIC / 2n + BigInt(Math.floor(dice.roll() * 100_000));
      const args = [usdc, BigInt(terms.code), BigInt(terms.payout), paidAtomic] as const;
      const call = encodeFunctionData({ abi: paymentProcessorAbi, functionName: 'pay', args });
      const raw = await signed(account, processor, call, 1);
      history.note('odd', { intent, payer: account.address.toLowerCase(), value: String(paidAtomic) });
      let resendAt = 0;
      const payment = await until(async () => {
        if (nowMs() > resendAt) {
          resendAt = nowMs() + RESEND_MS;
          await client.sendRawTransaction({ serializedTransaction: raw }).catch(() => {});
        }
        const told = await ask(`/sdk/payments?intentId=${intent}`, shop.secretKey);
        return ((told?.body['data'] ?? []) as readonly { readonly id: string }[])[0]?.id;
      });
      if (payment === undefined) return undefined;
      const { secretKey, merchant: wallet } = shop;
      return { journey: number, intent, payment, payer: account.address, wallet, paidAtomic, secretKey };
    },
  };
}
