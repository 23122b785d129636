// Payers with money, and what they sign. Keys are native, so that signing tens of thousands of payments takes seconds.
import { randomBytes } from 'node:crypto';
import { createLocalSigner, type JsonRpc, type TransactionSigner } from '@svc-pay/evm';
import { digest, domainSeparator } from '@svc-pay/protocol/hash';
import type { Address, Hex } from 'viem';
import { setBalanceCall } from '../../mock-balances.ts';

export type Payers = {
  readonly signers: readonly TransactionSigner[];
  /** The next payer in turn signs; each nonce is new. */
  readonly sign: (to: Address, amountAtomic: bigint) => Promise<SignedAuthorization>;
};

type SignedAuthorization = {
  readonly authorization: {
    readonly from: Address;
    readonly to: Address;
    readonly value: string;
    readonly validAfter: string;
    readonly validBefore: string;
    readonly nonce: Hex;
  };
  readonly signature: Hex;
};

const PAYERS = 500;
const MINTED = 10n ** 18n;
const DAY_SECONDS = 86_400;
/** Longer than any level with its preparation and its drain. */
const WINDOW_SECONDS = 3_000;

type Token = { readonly address: Address; readonly chainId: number };

type PayersWish = { readonly count?: number; readonly windowSeconds?: number };

export async function openPayers(
  rpc: JsonRpc,
  { address, chainId }: Token,
  { count = PAYERS, windowSeconds = WINDOW_SECONDS }: PayersWish = {},
): Promise<Payers> {
  const signers = Array.from({ length: count }, () => createLocalSigner(randomBytes(32)));
  await rpc(
    signers.map(({ address: payer }) => {
      const [method, params] = setBalanceCall(address, payer, MINTED);
      return { method, params };
    }),
  );
  const separator = domainSeparator({ name: 'USD Coin', version: '2', chainId, verifyingContract: address });
  let turn = 0;
  return {
    signers,
    sign: async (to, amountAtomic) => {
      const signer = signers[turn++ % count];
      if (signer === undefined) throw new Error('there are no payers');
      const nowSeconds = Math.floor((performance.timeOrigin + performance.now()) / 1_000);
      const authorization = {
        from: signer.address,
        to,
        value: amountAtomic.toString(),
        validAfter: String(nowSeconds - DAY_SECONDS),
        validBefore: String(nowSeconds + windowSeconds),
        nonce: `0x${randomBytes(32).toString('hex')}`,
      } as const;
      const signable = { primaryType: 'TransferWithAuthorization', message: authorization } as const;
      const { r, s, yParity } = await signer.signDigest(digest(separator, signable));
      return { authorization, signature: `${r}${s.slice(2)}${yParity === 0 ? '1b' : '1c'}` as Hex };
    },
  };
}
