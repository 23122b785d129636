// Balances of the mock token, written into its storage: thousands of payers in one request to Anvil, without a transaction.
import { type Address, concat, type Hex, keccak256, numberToHex, padHex } from 'viem';

/** Where the mock token keeps balances. */
const BALANCES_SLOT = padHex('0x2');

/** The call that gives `owner` exactly this much. */
export function setBalanceCall(
  token: Address,
  owner: Address,
  atomic: bigint,
): readonly ['anvil_setStorageAt', readonly [Address, Hex, Hex]] {
  const slot = keccak256(concat([padHex(owner), BALANCES_SLOT]));
  return ['anvil_setStorageAt', [token, slot, numberToHex(atomic, { size: 32 })]];
}
