// Places the local chain's tokens at the addresses that the catalogue gives them. Their runtime code contains all
// constructor values, so it is computed without a transaction and set at the address; the signing domain follows from
// the address.
import { TOKENS } from '@svc-pay/core';
import { type Address, encodeDeployData, getAddress, type Hex } from 'viem';
import { mockPermitTokenAbi } from '../generated/mock-permit-token-abi.ts';
import { mockPermitTokenBytecode } from '../generated/mock-permit-token-bytecode.ts';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import { mockUsdcBytecode } from '../generated/mock-usdc-bytecode.ts';

export type MockToken = { readonly address: Address; readonly initCode: Hex };

/** `usdc`: dollars with EIP-3009. `vol`: a token with EIP-2612 only. */
export const MOCK_TOKENS = {
  usdc: {
    address: addressOf('anvil_usdc'),
    initCode: encodeDeployData({ abi: mockUsdcAbi, bytecode: mockUsdcBytecode, args: [6] }),
  },
  vol: {
    address: addressOf('anvil_vol'),
    initCode: encodeDeployData({
      abi: mockPermitTokenAbi,
      bytecode: mockPermitTokenBytecode,
      args: ['Volatile', 'VOL', 18],
    }),
  },
} as const satisfies Record<string, MockToken>;

export type MockTokenName = keyof typeof MOCK_TOKENS;

type Node = {
  readonly call: (call: { data: Hex }) => Promise<{ data?: Hex | undefined }>;
  readonly setCode: (code: { address: Address; bytecode: Hex }) => Promise<void>;
};

export async function placeMockTokens({ call, setCode }: Node): Promise<void> {
  await Promise.all(
    Object.values(MOCK_TOKENS).map(async ({ address, initCode }) => {
      // A call of creation code returns the runtime code that it would deploy.
      const { data: bytecode } = await call({ data: initCode });
      if (bytecode === undefined) throw new Error(`the mock token of ${address} was not made`);
      await setCode({ address, bytecode });
    }),
  );
}

function addressOf(shortcode: string): Address {
  const token = TOKENS.find((entry) => entry.shortcode === shortcode);
  if (token === undefined) throw new Error(`the catalogue has no ${shortcode}`);
  return getAddress(token.address);
}
