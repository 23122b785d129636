// An activation for tests that check no signature: its two signatures are nobody's.
import { evmNetwork } from '@svc-pay/protocol';
import type { PayoutActivation } from '../payout/activation.ts';

export function sampleActivation(change: Partial<PayoutActivation> = {}): PayoutActivation {
  return {
    installation: '0a1b2c3d-0000-4000-8000-000000000001',
    accountId: 'acct_1',
    mode: 'test',
    network: evmNetwork(84_532),
    asset: `0x${'70'.repeat(20)}`,
    wallet: `0x${'66'.repeat(20)}`,
    use: 'exclusive',
    number: 1n,
    replaces: null,
    signedAtSeconds: 1_700_000_000n,
    walletSignature: `0x${'11'.repeat(65)}`,
    approver: `0x${'99'.repeat(20)}`,
    approverSignature: `0x${'22'.repeat(65)}`,
    ...change,
  };
}
