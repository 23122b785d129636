// The nonce that binds an authorization to its terms, as the processor derives it: tag (6 bytes), attempt (2 bytes),
// commitment (24 bytes). A payer's client recomputes it from the terms it was shown before it signs.
import { type Address, concat, encodeAbiParameters, type Hex, keccak256, numberToHex, slice, stringToHex } from 'viem';

export type PayoutSplit = { readonly to: Address; readonly bps: number };

export type BoundTerms = {
  readonly chainId: bigint;
  readonly processor: Address;
  readonly token: Address;
  readonly payoutId: bigint;
  readonly merchant: Address;
  readonly feeBps: number;
  readonly splits: readonly PayoutSplit[];
  readonly intentCode: bigint;
  /** Tells repeated attempts at the same intent apart, 0 to 65535. */
  readonly attempt: number;
};

const TAG = stringToHex('svcpay');

const TERMS = [
  { type: 'uint256' },
  { type: 'address' },
  { type: 'address' },
  { type: 'uint64' },
  { type: 'address' },
  { type: 'uint16' },
  {
    type: 'tuple[]',
    components: [
      { name: 'to', type: 'address' },
      { name: 'bps', type: 'uint16' },
    ],
  },
] as const;

const COMMITMENT = [{ type: 'bytes32' }, { type: 'uint64' }, { type: 'uint16' }] as const;

export function boundNonce(terms: BoundTerms): Hex {
  const termsHash = keccak256(
    encodeAbiParameters(TERMS, [
      terms.chainId,
      terms.processor,
      terms.token,
      terms.payoutId,
      terms.merchant,
      terms.feeBps,
      terms.splits,
    ]),
  );
  const commitment = keccak256(encodeAbiParameters(COMMITMENT, [termsHash, terms.intentCode, terms.attempt]));
  return concat([TAG, numberToHex(terms.attempt, { size: 2 }), slice(commitment, 0, 24)]);
}
