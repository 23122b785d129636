import { masterKeys, readSettings } from '@svc-pay/config';
import { sealingKeyOf } from '@svc-pay/core';
import type { Input } from '../command/context.ts';
import { misconfigured } from '../command/with-operation.ts';
import { readOperatorConfig } from '../config.ts';
import { done, type Outcome } from '../output/outcome.ts';

/** Of the key that seals now. No secret: whoever has it can seal, and open nothing. */
export async function showSealKey({ context }: Input<object>): Promise<Outcome> {
  const read = readOperatorConfig(['masterKeys'], context.environment);
  if (!read.ok) return misconfigured(read.problems);
  const text = textOf(sealingKeyOf(read.config.masterKeys[0]));
  return done({ sealKey: text }, text);
}

/** From the text of `SVC_MASTER_KEYS`; undefined when it can't be read. */
export function sealKeyText(masterKeysText: string): string | undefined {
  const settings = { keys: masterKeys({ name: 'SVC_MASTER_KEYS', about: '' }) };
  const read = readSettings(settings, { SVC_MASTER_KEYS: masterKeysText });
  return read.ok ? textOf(sealingKeyOf(read.values.keys[0])) : undefined;
}

const textOf = ({ number, bytes }: { readonly number: number; readonly bytes: Uint8Array }) =>
  `${number}:${Buffer.from(bytes).toString('base64')}`;
