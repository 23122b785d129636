// EIP-712 message that activates a direct payout. The wallet and its approver sign the same message. Every field is in
// words that a wallet shows to the person who signs.
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatenate, typeHash, wordFromHex, wordFromNumber } from './hash.ts';
import type { Hex } from './typed-data.ts';

export type ActivationMessage = {
  readonly installation: string;
  readonly account: string;
  readonly mode: string;
  readonly network: string;
  readonly token: Hex;
  readonly wallet: Hex;
  readonly use: string;
  /** Decimal text, as are `signedAt` and amounts elsewhere. */
  readonly number: string;
  /** The wallet that is replaced; the zero address for a first one. */
  readonly replaces: Hex;
  /** Unix seconds. */
  readonly signedAt: string;
};

const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
] as const;

const FIELDS = [
  { name: 'installation', type: 'string' },
  { name: 'account', type: 'string' },
  { name: 'mode', type: 'string' },
  { name: 'network', type: 'string' },
  { name: 'token', type: 'address' },
  { name: 'wallet', type: 'address' },
  { name: 'use', type: 'string' },
  { name: 'number', type: 'uint256' },
  { name: 'replaces', type: 'address' },
  { name: 'signedAt', type: 'uint256' },
] as const satisfies readonly { readonly name: keyof ActivationMessage; readonly type: string }[];

const PRIMARY_TYPE = 'PayoutActivation';
/** No contract verifies the message, so the domain names none. */
const DOMAIN = { name: 'SVC Pay payout', version: '1' } as const;

export type ActivationTypedData = {
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly primaryType: typeof PRIMARY_TYPE;
  readonly domain: typeof DOMAIN & { readonly chainId: number };
  readonly message: ActivationMessage;
};

/** For `eth_signTypedData_v4`. */
export function activationTypedData(chainId: number, message: ActivationMessage): ActivationTypedData {
  return {
    types: { EIP712Domain: DOMAIN_FIELDS, [PRIMARY_TYPE]: FIELDS },
    primaryType: PRIMARY_TYPE,
    domain: { ...DOMAIN, chainId },
    message,
  };
}

const domainTypeHash = typeHash('EIP712Domain', DOMAIN_FIELDS);
const messageTypeHash = typeHash(PRIMARY_TYPE, FIELDS);

/** The 32 bytes that both sign. Throws `RangeError` for an address or a number that is none. */
export function activationDigest(chainId: number, message: ActivationMessage): Uint8Array {
  const domain = keccak_256(
    concatenate([domainTypeHash, textWord(DOMAIN.name), textWord(DOMAIN.version), wordFromNumber(BigInt(chainId))]),
  );
  const words = FIELDS.map(({ name, type }) => {
    if (type === 'string') return textWord(message[name]);
    return type === 'uint256' ? wordFromNumber(BigInt(message[name])) : wordFromHex(message[name]);
  });
  const struct = keccak_256(concatenate([messageTypeHash, ...words]));
  return keccak_256(concatenate([Uint8Array.of(0x19, 0x01), domain, struct]));
}

const utf8 = new TextEncoder();
const textWord = (text: string): Uint8Array => keccak_256(utf8.encode(text));
