import type { NumberedPepper, NumberedPeppers } from '@svc-pay/core';
import { sameSecretTwice } from './numbered-secrets.ts';
import { type Setting, type SettingText, setting } from './setting.ts';

const ONE = /^(?:([1-9]\d{0,2}):)?([A-Za-z0-9+/]+={0,2})$/;
const MIN_BYTES = 32;

/** `2:<base64>,1:<base64>`: the first pepper hashes, every pepper finds. A single one without a number is number 1. */
export const keyPeppers = (about: SettingText): Setting<NumberedPeppers> =>
  setting(about, {
    form: 'base64 of at least 32 bytes; during a rotation `number:base64`, several with commas: the first hashes, all of them find',
    read: readAll,
    refusalOf: (peppers, text) => sameSecretTwice(peppers) ?? unnumbered(text),
  });

/** In `new,2:old` the new one would take number 1 from the old one, and operators' keys would count as moved. */
function unnumbered(text: string): string | undefined {
  const parts = text.split(',');
  if (parts.length === 1 || parts.every((part) => part.includes(':'))) return undefined;
  return 'a list in which every pepper has a number, such as `1:old,2:new`: the one in use without a number is 1, and the new one gets the next';
}

function readAll(text: string): NumberedPeppers | undefined {
  const peppers = text.split(',').map((part) => readOne(part.trim()));
  const known = peppers.filter((pepper) => pepper !== undefined);
  const [first, ...others] = known;
  const distinct = new Set(known.map(({ number }) => number)).size === peppers.length;
  return first !== undefined && known.length === peppers.length && distinct ? [first, ...others] : undefined;
}

function readOne(part: string): NumberedPepper | undefined {
  const [, digits = '1', base64] = ONE.exec(part) ?? [];
  if (base64 === undefined) return undefined;
  const number = Number.parseInt(digits, 10);
  const bytes = Buffer.from(base64, 'base64');
  return number <= 255 && bytes.length >= MIN_BYTES ? { number, bytes } : undefined;
}
