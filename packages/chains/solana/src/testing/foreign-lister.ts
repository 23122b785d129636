import type { Faults } from '../local/faults.ts';
import type { Paying } from './pay.ts';

/** Lets a node list the transaction, and nothing else, for every address that it is asked about. */
export function listForeign(faults: Faults, { transactionId: signature, prepared }: Paying): void {
  const listed = [{ signature, slot: prepared.lifetime.slot, err: null }];
  faults.lie = ({ method, params }) => {
    if (method !== 'getSignaturesForAddress') return undefined;
    const { before } = params[1] as { readonly before?: string };
    return before === undefined ? listed : [];
  };
}
