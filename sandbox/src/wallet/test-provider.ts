// Test wallet: EIP-1193 over a throw-away key, on one chain. Signs only typed data, and only after `confirm` accepts.
// Other methods go to the node.
import { type Hex, hexToBigInt } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

export type SignQuestion = {
  readonly signer: string;
  readonly domain: Readonly<Record<string, unknown>>;
  readonly primaryType: string;
  readonly message: Readonly<Record<string, unknown>>;
};

export type TestProviderOptions = {
  readonly privateKey: Hex;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly confirm: (question: SignQuestion) => Promise<boolean>;
};

export type TestProvider = {
  readonly address: string;
  readonly request: (call: { readonly method: string; readonly params?: readonly unknown[] }) => Promise<unknown>;
};

type TypedData = Parameters<ReturnType<typeof privateKeyToAccount>['signTypedData']>[0];

/** Error codes of EIP-1193. */
const USER_REJECTED = 4001;
const UNAUTHORIZED = 4100;
const UNKNOWN_CHAIN = 4902;

class ProviderError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export function createTestProvider({ privateKey, rpcUrl, chainId, confirm }: TestProviderOptions): TestProvider {
  const account = privateKeyToAccount(privateKey);
  const chainIdHex = `0x${chainId.toString(16)}`;

  async function sign(params: readonly unknown[]): Promise<Hex> {
    const [signer, text] = params;
    if (typeof signer !== 'string' || signer.toLowerCase() !== account.address.toLowerCase()) {
      throw new ProviderError(UNAUTHORIZED, 'this wallet has no such account');
    }
    const typedData = (typeof text === 'string' ? JSON.parse(text) : text) as SignQuestion & TypedData;
    const { domain, primaryType, message } = typedData;
    const agreed = await confirm({ signer: account.address, domain, primaryType, message });
    if (!agreed) throw new ProviderError(USER_REJECTED, 'the payer said no');
    const { EIP712Domain: _, ...types } = typedData.types as Record<string, unknown>;
    return account.signTypedData({ ...typedData, types });
  }

  async function askNode(method: string, params: readonly unknown[]): Promise<unknown> {
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message?: string } };
    if (error !== undefined) throw new ProviderError(-32_603, error.message ?? 'the node refused');
    return result;
  }

  return {
    address: account.address,
    request: async ({ method, params = [] }) => {
      switch (method) {
        case 'eth_requestAccounts':
        case 'eth_accounts':
          return [account.address];
        case 'eth_chainId':
          return chainIdHex;
        case 'wallet_switchEthereumChain': {
          const wanted = (params[0] as { chainId?: Hex } | undefined)?.chainId ?? '0x0';
          if (hexToBigInt(wanted) === BigInt(chainId)) return null;
          throw new ProviderError(UNKNOWN_CHAIN, 'this wallet knows one chain');
        }
        case 'eth_signTypedData_v4':
          return sign(params);
        case 'eth_call':
        case 'eth_blockNumber':
        case 'eth_getBalance':
          return askNode(method, params);
        default:
          throw new ProviderError(4200, `this wallet can't do ${method}`);
      }
    },
  };
}
