// A chain that stands in for Base Sepolia: its id, blocks of two seconds, and mocks of every token that the catalogue has there.
import { TOKENS } from '@svc-pay/core';
import { BASE_SEPOLIA_CHAIN_ID, type LocalChain, startChain } from '@svc-pay/evm/local';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { createTestClient, getAddress, type Hex, http, keccak256, publicActions, stringToHex } from 'viem';

const hashOf = (name: string) => keccak256(stringToHex(name)).slice(2);

export async function startBaseSepolia(): Promise<LocalChain> {
  const chain = await startChain({ chainId: BASE_SEPOLIA_CHAIN_ID, blockTimeSeconds: 2, guard: killOnParentExit });
  const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).extend(publicActions);
  const usdc = await node.getCode({ address: chain.tokens.usdc });
  if (usdc === undefined) throw new Error('the local chain has no USDC');
  for (const { network, address, symbol } of TOKENS) {
    if (network !== chain.network || getAddress(address) === chain.tokens.usdc) continue;
    // Of a token's signing domain the code holds the hash of its name; the address is its own.
    await node.setCode({
      address: getAddress(address),
      bytecode: usdc.replaceAll(hashOf('USDC'), hashOf(symbol)) as Hex,
    });
  }
  return chain;
}
