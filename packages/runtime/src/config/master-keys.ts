import { type MasterKey, type SealingKey, sealingKeyOf } from '@svc-pay/core';
import { sameSecretTwice } from './numbered-secrets.ts';
import { type Setting, type SettingText, setting } from './setting.ts';

export type MasterKeys = readonly [MasterKey, ...MasterKey[]];

const ONE = /^([1-9]\d{0,2}):([A-Za-z0-9+/]{43}=)$/;

/** `2:<base64>,1:<base64>`: the first key seals, every key opens. */
export const masterKeys = (about: SettingText): Setting<MasterKeys> =>
  setting(about, {
    form: '`number:base64 of 32 bytes`, several with commas; the first seals, all of them open',
    read: readAll,
    refusalOf: sameSecretTwice,
  });

/** The public half of a master key, as `keys seal-key` prints it. */
export const sealingKey = (about: SettingText): Setting<SealingKey> =>
  setting(about, { form: '`number:base64 of 32 bytes`', read: readOne });

/** The text that `keys seal-key` prints for these master keys. Not a secret: it can seal and open nothing. */
export function sealKeyText([current]: MasterKeys): string {
  const { number, bytes } = sealingKeyOf(current);
  return `${number}:${Buffer.from(bytes).toString('base64')}`;
}

/** `sealKeyText` from the text of `SVC_MASTER_KEYS`; undefined when that text is invalid. */
export function sealKeyTextFrom(masterKeysText: string): string | undefined {
  const keys = readAll(masterKeysText);
  return keys && sealKeyText(keys);
}

function readAll(text: string): MasterKeys | undefined {
  const keys = text.split(',').map((part) => readOne(part.trim()));
  const known = keys.filter((key) => key !== undefined);
  const [first, ...others] = known;
  const distinct = new Set(known.map(({ number }) => number)).size === keys.length;
  return first !== undefined && known.length === keys.length && distinct ? [first, ...others] : undefined;
}

function readOne(part: string): MasterKey | undefined {
  const [, digits, base64] = ONE.exec(part) ?? [];
  if (digits === undefined || base64 === undefined) return undefined;
  const number = Number.parseInt(digits, 10);
  return number <= 255 ? { number, bytes: Buffer.from(base64, 'base64') } : undefined;
}
