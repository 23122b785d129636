// Places the local chain's tokens at the addresses that the catalogue gives them. Their runtime code contains all
// constructor values, so it is computed without a transaction and set at the address; the signing domain follows from
// the address.
import { TOKENS } from '@svc-pay/core';
import { type Address, encodeDeployData, getAddress, type Hex, keccak256, stringToHex } from 'viem';
import { mockPermitTokenAbi } from '../generated/mock-permit-token-abi.ts';
import { mockPermitTokenBytecode } from '../generated/mock-permit-token-bytecode.ts';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import { mockUsdcBytecode } from '../generated/mock-usdc-bytecode.ts';

export type MockToken = {
  readonly address: Address;
  readonly initCode: Hex;
  /** Name in the signing domain, where it is not the contract's own. */
  readonly domainName?: string;
};

/** `usdc`: dollars with EIP-3009. `vol`: a token with EIP-2612 only. `plain`: dollars that the catalogue signs nothing for. */
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
  plain: {
    address: addressOf('anvil_plain'),
    initCode: encodeDeployData({
      abi: mockPermitTokenAbi,
      bytecode: mockPermitTokenBytecode,
      args: ['Plain', 'PLAIN', 6],
    }),
  },
} as const satisfies Record<string, MockToken>;

export type MockTokenName = keyof typeof MOCK_TOKENS;

/** Chain id of Base Sepolia: x402 version 1 has a name for it, and none for Anvil's own. */
export const BASE_SEPOLIA_CHAIN_ID = 84_532;

/** Tokens of a local chain. One that has Base Sepolia's id also has that chain's USDC, at its address and in its domain. */
export function mockTokensOn(chainId: number | undefined): Readonly<Record<MockTokenName, MockToken>> {
  if (chainId !== BASE_SEPOLIA_CHAIN_ID) return MOCK_TOKENS;
  return { ...MOCK_TOKENS, usdc: { ...MOCK_TOKENS.usdc, address: addressOf('basesepolia_usdc'), domainName: 'USDC' } };
}

type Node = {
  readonly call: (call: { data: Hex }) => Promise<{ data?: Hex | undefined }>;
  readonly setCode: (code: { address: Address; bytecode: Hex }) => Promise<void>;
};

const hashOf = (name: string) => keccak256(stringToHex(name)).slice(2);
const USDC_NAME_HASH = hashOf('USD Coin');

export async function placeMockTokens(
  { call, setCode }: Node,
  tokens: Readonly<Record<MockTokenName, MockToken>>,
): Promise<void> {
  await Promise.all(
    Object.values(tokens).map(async ({ address, initCode, domainName }) => {
      // A call of creation code returns the runtime code that it would deploy.
      const { data: made } = await call({ data: initCode });
      if (made === undefined) throw new Error(`the mock token of ${address} was not made`);
      // The code holds the hash of the domain's name, as an immutable value.
      const bytecode = domainName === undefined ? made : made.replaceAll(USDC_NAME_HASH, hashOf(domainName));
      await setCode({ address, bytecode: bytecode as Hex });
    }),
  );
}

function addressOf(shortcode: string): Address {
  const token = TOKENS.find((entry) => entry.shortcode === shortcode);
  if (token === undefined) throw new Error(`the catalogue has no ${shortcode}`);
  return getAddress(token.address);
}
