// Activations of direct payouts for tests, signed by keys. Of a contract wallet, name its address in the terms and its
// owner's key as the wallet's.
import type { ActivationTerms, PayoutActivation } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { type LocalKey, newKey } from '../local/role-keys.ts';
import { signActivation } from '../payout/sign-activation.ts';

export type ActivationSigners = {
  /** Default: a new key. */
  readonly wallet?: LocalKey;
  /** Default: a new key, which the test lists among the approvers. */
  readonly approver?: LocalKey;
  /** Set where the approver is the replaced wallet: its own activation. */
  readonly replaced?: PayoutActivation;
};

export type TestActivation = {
  readonly activation: PayoutActivation;
  readonly wallet: LocalKey;
  readonly approver: LocalKey;
};

export const TEST_INSTALLATION = '0a1b2c3d-0000-4000-8000-000000000001';

/** A valid activation; `terms` override the sample's. Signed an hour ago if they do not say when. */
export async function activatePayout(
  terms: Partial<ActivationTerms> = {},
  { wallet = newKey(), approver = newKey(), replaced }: ActivationSigners = {},
): Promise<TestActivation> {
  const signed: ActivationTerms = {
    installation: TEST_INSTALLATION,
    accountId: 'acct_1',
    mode: 'test',
    network: evmNetwork(31_337),
    asset: `0x${'70'.repeat(20)}`,
    use: 'exclusive',
    number: 1n,
    replaces: replaced?.wallet ?? null,
    signedAtSeconds: BigInt(Math.floor(Date.now() / 1_000) - 3_600),
    ...terms,
    wallet: (terms.wallet ?? wallet.account.address).toLowerCase(),
  };
  const activation: PayoutActivation = {
    ...signed,
    walletSignature: await signActivation(signed, wallet.privateKey),
    approver: replaced?.wallet ?? approver.account.address.toLowerCase(),
    approverSignature: await signActivation(signed, approver.privateKey),
    ...(replaced !== undefined && { replaced }),
  };
  return { activation, wallet, approver };
}
