// Chain to verify payments on: Anvil with mocks of the catalogue's local tokens at their real addresses, and payers.
import { TOKENS } from '@svc-pay/core';
import { mockUsdcAbi } from '@svc-pay/evm';
import { planWorld, startAnvil, walletCreation } from '@svc-pay/evm/testing';
import type { EvmPaymentHeader } from '@svc-pay/protocol';
import { type Abi, createTestClient, encodeFunctionData, type Hex, http, publicActions, walletActions } from 'viem';
import { foundry } from 'viem/chains';
import { afterwards } from './afterwards.ts';

const addressOf = (shortcode: string) => {
  const token = TOKENS.find((known) => known.shortcode === shortcode);
  if (token === undefined) throw new Error(`no token ${shortcode}`);
  return token.address as Hex;
};

export const USDC = addressOf('anvil_usdc');
export const VOL = addressOf('anvil_vol');

/** Stops with the test or test file that started it. */
export async function startPaymentChain() {
  const anvil = await startAnvil();
  afterwards(anvil.stop);
  const { token, deployer } = await planWorld(anvil);
  const client = createTestClient({ mode: 'anvil', chain: foundry, transport: http(anvil.rpcUrl) })
    .extend(publicActions)
    .extend(walletActions);
  const code = await client.getCode({ address: token });
  if (code === undefined) throw new Error('the mock has no code');
  const abi: Abi = mockUsdcAbi;
  const putTokens = async () => {
    for (const address of [USDC, VOL]) await client.setCode({ address, bytecode: code });
  };
  await putTokens();
  const write = async (
    address: Hex,
    functionName: 'mint' | 'setBlacklisted' | 'transferWithAuthorization',
    args: readonly unknown[],
  ) => {
    const hash = await deployer.sendTransaction({
      to: address,
      data: encodeFunctionData({ abi, functionName, args }),
    });
    await deployer.waitForTransactionReceipt({ hash });
  };
  return {
    rpcUrl: anvil.rpcUrl,
    client,
    mint: (address: Hex, to: string, value: bigint) => write(address, 'mint', [to, value]),
    /** The token moves nothing from or to a blocked address. */
    block: (address: Hex, account: string) => write(address, 'setBlacklisted', [account, true]),
    /** Moves all tokens of a holder whose key nobody needs; how many there were. */
    drain: async (address: Hex, holder: Hex, to: Hex): Promise<bigint> => {
      const value = (await client.readContract({ address, abi, functionName: 'balanceOf', args: [holder] })) as bigint;
      const data = encodeFunctionData({ abi, functionName: 'transfer', args: [to, value] });
      await client.setBalance({ address: holder, value: 10n ** 18n });
      await client.impersonateAccount({ address: holder });
      const hash = await client.sendTransaction({ account: holder, to: address, data });
      await client.waitForTransactionReceipt({ hash });
      await client.stopImpersonatingAccount({ address: holder });
      return value;
    },
    /** Deploys a contract wallet (ERC-1271) that accepts the signatures of `owner`. */
    deployWallet: async (owner: Hex): Promise<Hex> => {
      const hash = await deployer.sendTransaction({ data: walletCreation(owner) });
      const { contractAddress } = await deployer.waitForTransactionReceipt({ hash });
      if (typeof contractAddress !== 'string') throw new Error('the wallet was not deployed');
      return contractAddress;
    },
    /** Restores the tokens' code after a test removed it. */
    restoreTokens: putTokens,
    /** Submits the authorization of a header directly to the token, as a third party could. */
    useAuthorization: async (encodedHeader: string) => {
      const { payload } = JSON.parse(Buffer.from(encodedHeader, 'base64').toString()) as EvmPaymentHeader;
      const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
      const args = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, payload.signature];
      await write(USDC, 'transferWithAuthorization', args);
    },
  };
}

export type PaymentChain = Awaited<ReturnType<typeof startPaymentChain>>;
