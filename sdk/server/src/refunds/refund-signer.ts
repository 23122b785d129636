// Wallets that sign refunds, by what they can do: no library is needed, and those of viem and @solana/kit fit.

type TypedDataCall = {
  readonly domain: Record<string, unknown>;
  readonly types: Record<string, unknown>;
  readonly primaryType: string;
  readonly message: Record<string, unknown>;
};

/** Signs EIP-712 typed data. Accounts of viem are such signers. */
export type EvmRefundSigner = {
  readonly address: string;
  readonly signTypedData: (data: TypedDataCall) => Promise<string>;
};

/** A wallet client of viem with an account. */
export type EvmRefundWallet = {
  readonly account: { readonly address: string };
  /** Called with the typed data and the account. */
  readonly signTypedData: (data: never) => Promise<string>;
};

type SignableTransaction = {
  readonly messageBytes: ArrayLike<number>;
  readonly signatures: Readonly<Record<string, unknown>>;
};

/** Signs transactions of Solana. Key pair signers of @solana/kit are such signers. */
export type SolanaRefundSigner = {
  readonly address: string;
  signTransactions(
    transactions: readonly SignableTransaction[],
  ): Promise<readonly Readonly<Record<string, ArrayLike<number>>>[]>;
};

/** Signs bytes with the key of a Solana address, such as a key in a vault. */
export type SolanaKeySigner = {
  readonly address: string;
  readonly signBytes: (bytes: Uint8Array) => Promise<Uint8Array>;
};

export type RefundSigner = EvmRefundSigner | EvmRefundWallet | SolanaRefundSigner | SolanaKeySigner;

export function addressOf(signer: RefundSigner): string {
  return 'account' in signer ? signer.account.address : signer.address;
}

export const signsTypedData = (signer: RefundSigner): signer is EvmRefundSigner | EvmRefundWallet =>
  'signTypedData' in signer;

/** The signature of the typed data, as its signer gave it. */
export function signTypedData(signer: EvmRefundSigner | EvmRefundWallet, data: TypedDataCall): Promise<string> {
  return 'account' in signer
    ? signer.signTypedData({ ...data, account: signer.account } as never)
    : signer.signTypedData(data);
}

/** The signature of a transaction's message. */
export async function signMessage(
  signer: SolanaRefundSigner | SolanaKeySigner,
  message: Uint8Array,
  signers: readonly string[],
): Promise<Uint8Array | undefined> {
  if ('signBytes' in signer) return signer.signBytes(message);
  const signatures = Object.fromEntries(signers.map((address) => [address, null]));
  const [signed] = await signer.signTransactions([{ messageBytes: message, signatures }]);
  const signature = signed?.[signer.address];
  return signature === undefined ? undefined : Uint8Array.from(signature);
}
