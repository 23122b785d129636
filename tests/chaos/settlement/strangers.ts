// Strangers who saw a signed header of a direct payment and submit it to the token themselves. Each has an account of its
// own, funded before the first payment: a reorganisation takes back what an account got or sent within it.
import { mockUsdcAbi } from '@svc-pay/evm';
import type { LocalChain } from '@svc-pay/evm/testing';
import { type Address, createWalletClient, type Hex, http, parseEther, parseSignature } from 'viem';

/** Resolves when the node took it; a chain that is away, or strangers that are used up, are no problem of the payment. */
export type Strangers = { readonly submit: (header: string) => Promise<boolean> };

type Signed = {
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

const STRANGERS = 400;
const AT_ONCE = 50;
const GAS = 200_000n;

export async function openStrangers(chain: Pick<LocalChain, 'newKey' | 'rpcUrl' | 'tokens'>): Promise<Strangers> {
  const accounts: Awaited<ReturnType<LocalChain['newKey']>>['account'][] = [];
  while (accounts.length < STRANGERS) {
    const keys = await Promise.all(Array.from({ length: AT_ONCE }, () => chain.newKey(parseEther('1'))));
    accounts.push(...keys.map(({ account }) => account));
  }
  return {
    submit: async (header) => {
      const account = accounts.pop();
      if (account === undefined) return false;
      const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as { payload: Signed };
      const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
      const { r, s, yParity } = parseSignature(payload.signature);
      const client = createWalletClient({ account, transport: http(chain.rpcUrl) });
      try {
        await client.writeContract({
          chain: null,
          abi: mockUsdcAbi,
          address: chain.tokens.usdc,
          functionName: 'transferWithAuthorization',
          args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, yParity + 27, r, s],
          gas: GAS,
        });
        return true;
      } catch {
        return false;
      }
    },
  };
}
