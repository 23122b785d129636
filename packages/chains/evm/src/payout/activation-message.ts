// The message of an activation: what the wallet and its approver sign.
import type { ActivationTerms } from '@svc-pay/core';
import { chainIdOf, type Hex } from '@svc-pay/protocol';
import {
  type ActivationMessage,
  type ActivationTypedData,
  activationDigest,
  activationTypedData,
} from '@svc-pay/protocol/payout-activation';

const NOBODY = `0x${'0'.repeat(40)}` as const;

/** For `eth_signTypedData_v4`. */
export function activationToSign(terms: ActivationTerms): ActivationTypedData {
  return activationTypedData(chainIdFor(terms), messageOf(terms));
}

/** The 32 bytes that both sign. */
export function digestOfActivation(terms: ActivationTerms): Uint8Array {
  return activationDigest(chainIdFor(terms), messageOf(terms));
}

function messageOf(terms: ActivationTerms): ActivationMessage {
  return {
    installation: terms.installation,
    account: terms.accountId,
    mode: terms.mode,
    network: terms.network,
    token: terms.asset as Hex,
    wallet: terms.wallet as Hex,
    use: terms.use,
    number: terms.number.toString(),
    replaces: (terms.replaces ?? NOBODY) as Hex,
    signedAt: terms.signedAtSeconds.toString(),
  };
}

function chainIdFor({ network }: Pick<ActivationTerms, 'network'>): number {
  const chainId = chainIdOf(network);
  if (chainId === undefined) throw new RangeError(`${network} has no direct payouts: it is not an EVM network`);
  return chainId;
}
