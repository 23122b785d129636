// Checks that the configured pepper and master keys are those that the stored keys were made with. With a wrong pepper
// every API key is unknown; with a lost master key webhooks are not signed.
import { timingSafeEqual } from 'node:crypto';
import { createSecretBox, keyIndex, secretKeyContext } from '@svc-pay/core';
import type { SealedKey } from '@svc-pay/postgres/operator';
import type { MasterKeys } from '@svc-pay/runtime/config';
import { type Finding, findingsOf } from './finding.ts';

export type KeySecretsAtHand = {
  readonly keyPepper?: Uint8Array | undefined;
  readonly masterKeys?: MasterKeys | undefined;
};

export function checkKeySecrets(
  sealed: readonly SealedKey[],
  { keyPepper, masterKeys }: KeySecretsAtHand,
): readonly Finding[] {
  if (masterKeys === undefined || sealed.length === 0) return [];
  const box = createSecretBox(masterKeys);
  const findings: Finding[] = [];
  const opened: { readonly text: string; readonly index: Uint8Array }[] = [];
  for (const { accountId, id, ciphertext, index } of sealed) {
    try {
      opened.push({ text: box.open(ciphertext, secretKeyContext(accountId, id)), index });
    } catch {
      findings.push(
        findingsOf('configuration', 'SVC_MASTER_KEYS').problem(
          `No master key opens what was sealed under number ${ciphertext[0]}.`,
          'Put the master key of that number back; a retired one stays in the list behind the current one.',
        ),
      );
    }
  }
  if (findings.length === 0)
    findings.push(findingsOf('configuration', 'SVC_MASTER_KEYS').ok('Stored secret keys open.'));
  const [first] = opened;
  if (first === undefined || keyPepper === undefined) return findings;
  const { ok, problem } = findingsOf('configuration', 'SVC_KEY_PEPPER');
  const fits = timingSafeEqual(keyIndex(keyPepper, first.text), first.index);
  return [
    ...findings,
    fits
      ? ok('Stored keys are found with it.')
      : problem(
          'Stored keys are not found with it: no merchant can log in.',
          'Put the pepper back that the keys were made with.',
        ),
  ];
}
