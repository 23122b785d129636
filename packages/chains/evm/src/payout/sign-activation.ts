import type { ActivationTerms } from '@svc-pay/core';
import type { Hex } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import { digestOfActivation } from './activation-message.ts';

/** Signs as `eth_signTypedData_v4` does. */
export async function signActivation(terms: ActivationTerms, privateKey: Hex): Promise<Hex> {
  const hash: Hex = `0x${Buffer.from(digestOfActivation(terms)).toString('hex')}`;
  return sign({ hash, privateKey, to: 'hex' });
}

/** In lower case, as in an activation. */
export const addressOfKey = (privateKey: Hex): string => privateKeyToAccount(privateKey).address.toLowerCase();
