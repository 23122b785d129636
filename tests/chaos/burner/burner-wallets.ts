// Contract wallets that answer ERC-1271's yes to a simulation and burn all gas in a transaction. They need no signature:
// what the wallet says is the signature.

import type { LocalChain } from '@svc-pay/evm/testing';
import { type Address, concat, createTestClient, type Hex, http, keccak256, stringToHex } from 'viem';

type BurnerKind = keyof typeof BURNER_CODE;
export type BurnerWallet = { readonly address: Address; readonly kind: BurnerKind };

/**
 * `gas price`: yes while `tx.gasprice` is zero, as in an eth_call without a fee. A simulation with the fee of the
 * transaction sees through it.
 *
 * `randomness`: yes while the last two bits of `block.prevrandao` are zero, one block of four. A simulation plays with the
 * value of a block that exists, the transaction runs with that of the next: three of four that passed burn, and no
 * simulation can tell. Every fourth pays what it signed. Coinbase, base fee and gas are no use to such a wallet on Anvil:
 * eth_call and a transaction see the same.
 *
 * `block number`: yes in every other block. What passes a simulation on one block burns in the next.
 */
const BURNER_CODE = {
  'gas price': '0x3a601457631626ba7e60e01b60005260206000f35bfe',
  randomness: '0x44600316601757631626ba7e60e01b60005260206000f35bfe',
  'block number': '0x43600116601757631626ba7e60e01b60005260206000f35bfe',
} as const satisfies Readonly<Record<string, Hex>>;

export const BURNER_KINDS = ['gas price', 'randomness', 'block number'] as const satisfies readonly BurnerKind[];
/** Those of the burner run. */
const KINDS = BURNER_KINDS.slice(0, 2);
/** Longer than any key's signature: nobody takes it for one. */
export const FORGED_SIGNATURE: Hex = `0x${'11'.repeat(66)}`;

/** Address and code of the wallet with this number; no other has the same code. */
export function burnerOf(seed: number, index: number, kind: BurnerKind): BurnerWallet & { readonly code: Hex } {
  const salt = keccak256(stringToHex(`burner ${seed} ${index}`));
  // Behind the last instruction the salt is never run: it only makes the code hash another.
  return { address: `0x${salt.slice(-40)}`, kind, code: concat([BURNER_CODE[kind], salt]) };
}

/** Each has code of its own, and the price of one payment. The two kinds take turns. */
export async function installBurners(
  chain: LocalChain,
  { count, seed, priceAtomic }: { readonly count: number; readonly seed: number; readonly priceAtomic: bigint },
): Promise<readonly BurnerWallet[]> {
  const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) });
  const wallets: BurnerWallet[] = [];
  for (let index = 0; index < count; index += 1) {
    const kind = KINDS[index % KINDS.length] ?? 'gas price';
    const { address, code } = burnerOf(seed, index, kind);
    await node.setCode({ address, bytecode: code });
    wallets.push({ address, kind });
  }
  await Promise.all(wallets.map(({ address }) => chain.mint(chain.tokens.usdc, address, priceAtomic)));
  return wallets;
}
