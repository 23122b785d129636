// The wallets of the merchants: they sign refunds as they are asked to, and send money back themselves.
import { mockUsdcAbi } from '@svc-pay/evm';
import type { LocalKey } from '@svc-pay/evm/local';
import { type Address, createWalletClient, encodeFunctionData, type Hex, http, publicActions } from 'viem';
import { waitUntil } from '../harness/wait-until.ts';
import type { RefundWallets } from '../refunds/refund-once.ts';
import type { Strangers } from './strangers.ts';
import type { SettlementWorld } from './world.ts';

type TypedData = {
  readonly domain: Record<string, unknown>;
  readonly types: Record<string, readonly { readonly name: string; readonly type: string }[]>;
  readonly primaryType: string;
  readonly message: Readonly<Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>>;
};

const GAS = 120_000n;
const FINAL_MS = 60_000;
const MINED_MS = 20_000;

export type MerchantWallets = {
  readonly sign: RefundWallets['sign'];
  /** `wallet` in lower case. Notes the transfer, and keeps sending it until it is final. */
  readonly sendBack: (
    wallet: string,
    facts: { readonly payment: string; readonly to: string; readonly amountAtomic: bigint },
  ) => Promise<string | undefined>;
};

export function openMerchantWallets(
  { chain, merchants, history }: Pick<SettlementWorld, 'chain' | 'merchants' | 'history'>,
  strangers: Strangers,
): MerchantWallets {
  const keyOf = new Map(merchants.map((key) => [key.account.address.toLowerCase(), key]));
  const keyAt = (wallet: string): LocalKey => {
    const key = keyOf.get(wallet.toLowerCase());
    if (key === undefined) throw new Error(`${wallet} is no merchant's`);
    return key;
  };
  /** By wallet: until its last transfer is final. Two under one nonce would be one. */
  const busy = new Map<string, Promise<unknown>>();
  return {
    sign: async (created) => {
      const { typedData } = created['sign'] as { readonly typedData: TypedData };
      const { domain, types, primaryType, message } = typedData;
      const { EIP712Domain: _, ...own } = types;
      const { account } = keyAt(message.from);
      const signature = await account.signTypedData({ domain, types: own, primaryType, message });
      const header = Buffer.from(JSON.stringify({ payload: { authorization: message, signature } })).toString('base64');
      return { body: { signature }, mark: message.nonce.toLowerCase(), leak: () => strangers.submit(header) };
    },
    sendBack: async (wallet, { payment, to, amountAtomic }) => {
      const { account } = keyAt(wallet);
      const client = createWalletClient({ account, transport: http(chain.rpcUrl) }).extend(publicActions);
      const minedIn = async (hash: Hex) => (await client.getTransactionReceipt({ hash })).blockNumber;
      const isFinal = async (raw: Hex, hash: Hex) => {
        const [block, final] = [
          await minedIn(hash).catch(() => undefined),
          await client.getBlock({ blockTag: 'finalized' }),
        ];
        if (block === undefined) await client.sendRawTransaction({ serializedTransaction: raw }).catch(() => {});
        return block !== undefined && block <= final.number;
      };
      const send = async (): Promise<{ readonly hash: Hex; readonly final: Promise<unknown> }> => {
        const args = [to as Address, amountAtomic] as const;
        const data = encodeFunctionData({ abi: mockUsdcAbi, functionName: 'transfer', args });
        const call = { to: chain.tokens.usdc, data, gas: GAS, chain: null };
        const request = await client.prepareTransactionRequest({ ...call, account, chainId: chain.chainId });
        const raw = await client.signTransaction({ ...request, account, chain: null });
        const hash = await client.sendRawTransaction({ serializedTransaction: raw });
        history.note('sent back', { payment, wallet: wallet.toLowerCase(), to: to.toLowerCase(), transaction: hash });
        await waitUntil(async () => (await minedIn(hash)) > 0n, MINED_MS, 200);
        return { hash, final: waitUntil(() => isFinal(raw, hash), FINAL_MS, 500) };
      };
      const before = busy.get(wallet) ?? Promise.resolve();
      const sending = before.then(send);
      busy.set(
        wallet,
        sending.then(
          ({ final }) => final,
          () => {},
        ),
      );
      return sending.then(
        ({ hash }) => hash,
        () => undefined,
      );
    },
  };
}
