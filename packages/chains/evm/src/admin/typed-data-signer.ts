import type { Hex, TypedDataDefinition } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** Typed data by the parts that a signature covers. */
export type SignableTypedData = {
  readonly domain: Record<string, unknown>;
  readonly types: Record<string, unknown>;
  readonly primaryType: string;
  readonly message: Record<string, unknown>;
};

export type TypedDataSigner = {
  readonly address: Hex;
  readonly signTypedData: (data: SignableTypedData) => Promise<Hex>;
};

/** A key that signs as `eth_signTypedData_v4` does. */
export function typedDataSigner(privateKey: Hex): TypedDataSigner {
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address,
    signTypedData: (data) => account.signTypedData(data as unknown as TypedDataDefinition),
  };
}
