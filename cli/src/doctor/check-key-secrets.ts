// Checks that the configured pepper and master keys are those that the stored keys were made with. With a wrong pepper
// every API key is unknown; with a lost master key webhooks are not signed.
import { timingSafeEqual } from 'node:crypto';
import { createSecretBox, keyIndex, type NumberedPeppers, sealedUnder, secretKeyContext } from '@svc-pay/core';
import type { SealedCount, SealedKey } from '@svc-pay/postgres/operator';
import type { MasterKeys } from '@svc-pay/runtime/config';
import { COMMAND } from '../command/leaf.ts';
import { type Finding, findingsOf } from './finding.ts';

export type KeySecretsAtHand = {
  readonly keyPeppers?: NumberedPeppers | undefined;
  readonly masterKeys?: MasterKeys | undefined;
};

export function checkKeySecrets(
  sealed: readonly SealedKey[],
  { keyPeppers, masterKeys }: KeySecretsAtHand,
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
          `No master key opens what was sealed under number ${sealedUnder(ciphertext)}.`,
          'Put the master key of that number back; a retired one stays in the list behind the current one.',
        ),
      );
    }
  }
  if (findings.length === 0)
    findings.push(findingsOf('configuration', 'SVC_MASTER_KEYS').ok('Stored secret keys open.'));
  const [first] = opened;
  if (first === undefined || keyPeppers === undefined) return findings;
  const { ok, problem } = findingsOf('configuration', 'SVC_KEY_PEPPER');
  const fits = keyPeppers.some(({ bytes }) => timingSafeEqual(keyIndex(bytes, first.text), first.index));
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

/** Secrets under a master key that is not given, and secrets that still need an old one. */
export function checkSealed(
  counts: readonly SealedCount[],
  { masterKeys }: Pick<KeySecretsAtHand, 'masterKeys'>,
): readonly Finding[] {
  if (masterKeys === undefined) return [];
  const { problem, warning } = findingsOf('configuration', 'SVC_MASTER_KEYS');
  const [current] = masterKeys;
  const totals = Map.groupBy(counts, ({ masterKey }) => masterKey);
  return [...totals]
    .filter(([number]) => number !== current.number)
    .map(([number, of]) => {
      const total = of.reduce((sum, { count }) => sum + count, 0);
      return masterKeys.some((key) => key.number === number)
        ? warning(
            `${total} secrets are still encrypted with master key ${number}.`,
            `Run \`${COMMAND} keys reseal\` before you take key ${number} away.`,
          )
        : problem(
            `${total} secrets are encrypted with master key ${number}, which is not given: they can't be opened.`,
            'Put the master key of that number back behind the current one.',
          );
    });
}
