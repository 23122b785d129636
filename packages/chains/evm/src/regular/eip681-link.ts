// A link by which a wallet fills in the call of a contract, by EIP-681. The key of a parameter is its ABI type.
import type { RegularWay } from '@svc-pay/core';
import { chainIdOf } from '@svc-pay/protocol';

export type LinkedCall = {
  readonly network: RegularWay['terms']['network'];
  readonly contract: string;
  readonly function: string;
  readonly parameters: readonly (readonly [type: 'address' | 'uint64' | 'uint256', value: string | bigint | number])[];
};

/** The number of the chain is decimal, and numbers are written without an exponent. */
export function eip681Link({ network, contract, function: name, parameters }: LinkedCall): string {
  const query = parameters.map(([type, value]) => `${type}=${value}`).join('&');
  return `ethereum:${contract}@${chainIdOf(network)}/${name}?${query}`;
}
