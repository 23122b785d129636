// Checks that the configured pepper and master keys are those that the stored keys were made with. With a wrong pepper
// every API key is unknown; with a lost master key webhooks are not signed.
import type { NumberedPeppers } from '@svc-pay/core';
import type { RehashedKeys, SealedCount } from '@svc-pay/postgres/operator';
import type { MasterKeys } from '@svc-pay/runtime/config';
import { COMMAND } from '../command/leaf.ts';
import { type Finding, findingsOf } from './finding.ts';

export type KeySecretsAtHand = {
  readonly keyPeppers?: NumberedPeppers | undefined;
  readonly masterKeys?: MasterKeys | undefined;
};

/** `checked` is what `keys rehash --check` counts: every stored key, not a sample. */
export function checkKeySecrets(checked: RehashedKeys, [current]: NumberedPeppers): readonly Finding[] {
  const { stored, left, operators } = checked;
  if (stored === 0 && operators.length === 0) return [];
  const unopened = left.filter(({ why }) => why === 'unopened').length;
  const master = findingsOf('configuration', 'SVC_MASTER_KEYS');
  const wrong = [...unknownPeppers(checked), ...otherPeppers(checked, current.number)];
  const compared = stored - unopened;
  return [
    unopened === 0
      ? master.ok('Stored secret keys open.')
      : master.problem(
          `No master key opens ${unopened} of ${stored} stored API keys.`,
          'Put the master key back that sealed them; a retired one stays in the list behind the current one.',
        ),
    ...wrong,
    ...(wrong.length === 0 && compared > 0
      ? [findingsOf('configuration', 'SVC_KEY_PEPPER').ok(`${compared} stored keys are found with it.`)]
      : []),
  ];
}

function unknownPeppers({ stored, left, operatorsLocked }: RehashedKeys): readonly Finding[] {
  const { problem } = findingsOf('configuration', 'SVC_KEY_PEPPER');
  const unknown = left.filter(({ why }) => why === 'unknown').length;
  return [
    ...(unknown > 0
      ? [
          problem(
            `${unknown} of ${stored} stored keys are not found with it: their merchants are refused.`,
            'Put the pepper back that these keys were made with, behind the current one.',
          ),
        ]
      : []),
    ...(operatorsLocked.length > 0
      ? [
          problem(
            `${operatorsLocked.length} operators have a key under a pepper that is not given: the key is refused.`,
            `Put that pepper back behind the current one, or make their next keys with \`${COMMAND} operators roll\`.`,
          ),
        ]
      : []),
  ];
}

/** What still needs another pepper of the list. Numbers only grow, so a higher one than the first is a step back or a mistake. */
function otherPeppers(checked: RehashedKeys, current: number): readonly Finding[] {
  const { warning } = findingsOf('configuration', 'SVC_KEY_PEPPER');
  const numbers = Map.groupBy(
    checked.left.flatMap((key) => (key.why === 'old' ? [key.pepper] : [])),
    (number) => number,
  );
  const operators = checked.operators.length - checked.operatorsLocked.length;
  return [
    ...[...numbers].map(([number, of]) =>
      number < current
        ? warning(
            `${of.length} stored keys are still under pepper ${number}.`,
            `Run \`${COMMAND} keys rehash\` before you take pepper ${number} away.`,
          )
        : warning(
            `${of.length} stored keys are under pepper ${number}, although the first in the list is ${current}.`,
            `If pepper ${current} is the new one, exchange the two numbers: a pepper keeps its number, and the first was 1. If you go back to pepper ${current}, run \`${COMMAND} keys rehash\`.`,
          ),
    ),
    ...(operators > 0
      ? [
          warning(
            `${operators} operators have a key under another pepper than ${current}.`,
            `Make their next keys with \`${COMMAND} operators roll\` before you take a pepper away.`,
          ),
        ]
      : []),
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
