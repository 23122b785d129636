// Refunds on the Internet Computer, for the API. A transfer is signed by whoever sends it, so that the merchant sends the money
// himself and names the block: nothing is prepared.
import { parseAccount, type RefundFamily, readBlockName } from '@svc-pay/core';
import { familyOf } from '@svc-pay/protocol';

const NOT_AVAILABLE = { ok: false, code: 'refund_not_available' } as const;

export function createIcpRefunds(): RefundFamily {
  return {
    owns: (network) => familyOf(network) === 'icp',
    kind: 'transaction',
    signs: () => false,
    isAddress: (text) => parseAccount(text) !== undefined,
    isTransactionId: (text) => readBlockName(text) !== undefined,
    canReceive: async () => true,
    findUsed: async () => undefined,
    draft: async () => NOT_AVAILABLE,
    read: () => undefined,
    verify: async () => NOT_AVAILABLE,
  };
}
