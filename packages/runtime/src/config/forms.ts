// Forms that the text of a setting may have, each with its reader.
import { type Setting, type SettingText, setting } from './setting.ts';

export const text = (about: SettingText): Setting<string> => setting(about, { form: 'text', read: (given) => given });

export function wholeNumber(about: SettingText, min: number, max: number): Setting<number> {
  return setting(about, {
    form: `a whole number, ${min} to ${max}`,
    read: (given) => {
      const value = /^\d{1,15}$/.test(given) ? Number.parseInt(given, 10) : -1;
      return value >= min && value <= max ? value : undefined;
    },
  });
}

export const flag = (about: SettingText): Setting<boolean> =>
  setting(about, {
    form: '`on` or `off`',
    read: (given) => (given === 'on' ? true : given === 'off' ? false : undefined),
  });

export function oneOf<Word extends string>(about: SettingText, words: readonly Word[]): Setting<Word> {
  return setting(about, {
    form: words.map((word) => `\`${word}\``).join(', '),
    read: (given) => words.find((word) => word === given),
  });
}

/** Every service has this setting, under one name. */
export const logLevel = oneOf(
  { name: 'SVC_LOG_LEVEL', about: 'Minimum severity of the log lines that the process writes.', fallback: 'info' },
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
);

export const commaList = (about: SettingText): Setting<readonly string[]> =>
  setting(about, {
    form: 'a list with commas',
    read: (given) =>
      given
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
  });

/** Trailing slashes are removed, so that a path can be appended. */
export const httpUrl = (about: SettingText): Setting<string> =>
  setting(about, {
    form: 'an http or https address',
    read: (given) => (/^https?:$/.test(protocolOf(given) ?? '') ? given.replace(/\/+$/, '') : undefined),
  });

/** At least one address, each read as by `httpUrl`. */
export const httpUrls = (about: SettingText): Setting<readonly string[]> =>
  setting(about, {
    form: 'http or https addresses, with commas between several',
    read: (given) => {
      const urls = given.split(',').map((url) => url.trim());
      if (!urls.every((url) => /^https?:$/.test(protocolOf(url) ?? ''))) return undefined;
      return urls.map((url) => url.replace(/\/+$/, ''));
    },
  });

export const postgresUrl = (about: SettingText): Setting<string> =>
  setting(about, {
    form: '`postgres://user:password@host:port/database`',
    read: (given) => (/^postgres(?:ql)?:$/.test(protocolOf(given) ?? '') ? given : undefined),
  });

export function base64Bytes(about: SettingText, minBytes: number): Setting<Uint8Array> {
  return setting(about, {
    form: `base64 of at least ${minBytes} bytes`,
    read: (given) => {
      if (!/^[A-Za-z0-9+/]+={0,2}$/.test(given)) return undefined;
      const bytes = Buffer.from(given, 'base64');
      return bytes.length >= minBytes ? bytes : undefined;
    },
  });
}

const keyIn = (given: string) =>
  /^[A-Za-z0-9+/]{43}=$/.test(given) ? new Uint8Array(Buffer.from(given, 'base64')) : undefined;

/** A key of exactly 32 bytes. */
export const base64Key = (about: SettingText): Setting<Uint8Array> =>
  setting(about, { form: 'base64 of 32 bytes', read: keyIn });

/** Several keys of exactly 32 bytes. */
export const base64Keys = (about: SettingText): Setting<readonly Uint8Array[]> =>
  setting(about, {
    form: 'base64 of 32 bytes, several with commas',
    read: (given) => {
      const keys = given.split(',').map((each) => keyIn(each.trim()));
      return keys.includes(undefined) ? undefined : keys.filter((key) => key !== undefined);
    },
  });

/** JSON of any shape; `read` returns undefined for a value that does not fit. */
export function json<Value>(about: SettingText, form: string, read: (value: unknown) => Value | undefined) {
  return setting<Value>(about, {
    form,
    read: (given) => {
      try {
        return read(JSON.parse(given));
      } catch {
        return undefined;
      }
    },
  });
}

function protocolOf(given: string): string | undefined {
  return URL.canParse(given) ? new URL(given).protocol : undefined;
}
