// A mock token that has the code of an odd one for a while. Balances and used nonces stay: the odd token's own storage lies
// behind the mock's.
import { type Address, createTestClient, encodeDeployData, http, publicActions } from 'viem';
import { oddUsdcAbi } from '../generated/odd-usdc-abi.ts';
import { oddUsdcBytecode } from '../generated/odd-usdc-bytecode.ts';

/** In the contract's order. */
const ODDITIES = ['fee on transfer', 'used nonce without revert', 'use without transfer'] as const;
export type TokenOddity = (typeof ODDITIES)[number];

/** Resolves to what gives the token its own code back. */
export async function makeTokenOdd(rpcUrl: string, token: Address, oddity: TokenOddity): Promise<() => Promise<void>> {
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions);
  const usual = await node.getCode({ address: token });
  const args = [ODDITIES.indexOf(oddity)] as const;
  const { data: odd } = await node.call({
    data: encodeDeployData({ abi: oddUsdcAbi, bytecode: oddUsdcBytecode, args }),
  });
  if (usual === undefined || odd === undefined) throw new Error(`${token} has no code, or the odd token none`);
  await node.setCode({ address: token, bytecode: odd });
  return () => node.setCode({ address: token, bytecode: usual });
}
