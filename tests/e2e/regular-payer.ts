// A payer with coins of his own, written from the interface only: he sends what a regular option says, and nothing else.
import type { EvmAuthorizationOption, EvmProcessorOption, RegularOption } from '@svc-pay/protocol';
import {
  type Address,
  createWalletClient,
  type Hex,
  http,
  type PrivateKeyAccount,
  parseAbi,
  parseEther,
  parseSignature,
  publicActions,
} from 'viem';
import type { Shop } from './open-shop.ts';
import type { World } from './start-world.ts';
import { post } from './wallet.ts';

type RegularAnswer = {
  readonly paymentIntentId: string;
  readonly regular: readonly RegularOption[];
  readonly error?: string;
};

type Place = { readonly apiUrl: string; readonly shop: Shop };

/** Creates an intent that is paid by the payer's own transactions alone. */
export async function createRegular({ apiUrl, shop }: Place, body: object): Promise<RegularAnswer> {
  const response = await post(`${apiUrl}/sdk/public/payments/intents`, shop.publishableKey, body);
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as RegularAnswer;
}

/** Asks for an X402 intent that the service can't offer. */
export async function createFallback({ apiUrl, shop }: Place, body: object): Promise<RegularAnswer> {
  const response = await post(`${apiUrl}/sdk/public/payments/intents/x402`, shop.publishableKey, body);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as RegularAnswer;
}

export async function regularOf({ apiUrl, shop }: Place, paymentIntentId: string): Promise<RegularAnswer> {
  const url = `${apiUrl}/sdk/public/payments/intents/${paymentIntentId}/regular`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${shop.publishableKey}` } });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as RegularAnswer;
}

export type RegularPayer = {
  readonly account: PrivateKeyAccount;
  /** Carries out the option. Resolves to the transaction that pays, when it is mined. */
  readonly pay: (option: RegularOption | undefined) => Promise<Hex>;
};

const TRANSFER = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);

/** A payer with coins for gas and an amount of each token. */
export async function regularPayer({ chain }: World): Promise<RegularPayer> {
  const { account } = await chain.newKey(parseEther('1'));
  for (const token of Object.values(chain.tokens)) await chain.mint(token, account.address, 10n ** 20n);
  const client = createWalletClient({ account, transport: http(chain.rpcUrl) }).extend(publicActions);
  const mined = async (hash: Hex) => {
    const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    if (status !== 'success') throw new Error(`${hash} was refused`);
    return hash;
  };
  const send = async ({ to, data }: { readonly to: string; readonly data: string }) =>
    mined(await client.sendTransaction({ chain: null, to: to as Address, data: data as Hex, gas: 1_500_000n }));

  const payProcessor = async ({ approve, pay }: EvmProcessorOption) => {
    await send(approve);
    return send(pay);
  };

  const payWallet = async ({ typedData, token }: EvmAuthorizationOption) => {
    const { domain, message, primaryType, types } = typedData;
    const { to, nonce } = message as { to: Address; nonce: Hex };
    const [value, validAfter, validBefore] = [message.value, message.validAfter, message.validBefore].map(BigInt);
    if (value === undefined || validAfter === undefined || validBefore === undefined) throw new Error('no message');
    const { EIP712Domain: _, ...fields } = types as Record<string, { name: string; type: string }[]>;
    const signature = await account.signTypedData({
      domain: { ...domain, verifyingContract: domain.verifyingContract as Address },
      types: fields,
      primaryType,
      message: { from: account.address, to, value, validAfter, validBefore, nonce },
    });
    const { r, s, yParity } = parseSignature(signature);
    return mined(
      await client.writeContract({
        chain: null,
        abi: TRANSFER,
        address: token as Address,
        functionName: 'transferWithAuthorization',
        args: [account.address, to, value, validAfter, validBefore, nonce, yParity + 27, r, s],
      }),
    );
  };

  return {
    account,
    pay: async (option) => {
      if (option?.kind === 'evm_processor') return payProcessor(option);
      if (option?.kind === 'evm_authorization') return payWallet(option);
      throw new Error(`nothing to pay: ${option?.kind}`);
    },
  };
}
