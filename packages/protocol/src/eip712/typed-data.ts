// Typed data for `eth_signTypedData_v4`: the three messages of the tokens that we take payments in. Amounts and times
// stay text, so that no value passes through a float.

export type Hex = `0x${string}`;

export type Eip712Domain = {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Hex;
};

/**
 * `TransferWithAuthorization` and `ReceiveWithAuthorization` have the same fields; they differ in who may submit them.
 */
export type AuthorizationMessage = {
  readonly from: Hex;
  readonly to: Hex;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: Hex;
};

export type PermitMessage = {
  readonly owner: Hex;
  readonly spender: Hex;
  readonly value: string;
  /** The token's `nonces(owner)`, as decimal text. */
  readonly nonce: string;
  readonly deadline: string;
};

const AUTHORIZATION_FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const;

export const MESSAGE_FIELDS = {
  TransferWithAuthorization: AUTHORIZATION_FIELDS,
  ReceiveWithAuthorization: AUTHORIZATION_FIELDS,
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const;

export type PrimaryType = keyof typeof MESSAGE_FIELDS;

export const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const;

export type Signable =
  | {
      readonly primaryType: 'TransferWithAuthorization' | 'ReceiveWithAuthorization';
      readonly message: AuthorizationMessage;
    }
  | { readonly primaryType: 'Permit'; readonly message: PermitMessage };

export type TypedData = Signable & {
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly domain: Eip712Domain;
};

export function typedData(domain: Eip712Domain, signable: Signable): TypedData {
  return { ...signable, types: messageTypes(signable.primaryType), domain };
}

export function messageTypes(primaryType: PrimaryType): TypedData['types'] {
  return { EIP712Domain: DOMAIN_FIELDS, [primaryType]: MESSAGE_FIELDS[primaryType] };
}
