import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  base64Bytes,
  commaList,
  flag,
  httpUrl,
  httpUrls,
  json,
  keyPeppers,
  masterKeys,
  oneOf,
  optional,
  postgresUrl,
  readSettings,
  type Setting,
  secret,
  settingsTable,
  text,
  wholeNumber,
} from './index.ts';

const P = Buffer.alloc(32, 7).toString('base64');
const Q = Buffer.alloc(32, 8).toString('base64');
const about = { name: 'SVC_X', about: 'A sentence.' };
const read = (setting: Setting<unknown>, given: string) => setting.read(given);

describe('text that fits is read, and what does not fit is refused', () => {
  test.each([
    ['whole number', wholeNumber(about, 1, 65_535), ['1', '65535'], ['0', '65536', '-1', '1.0', '1e3', ' 1', '٣', '']],
    ['flag', flag(about), ['on', 'off'], ['true', 'ON', '1', 'toString']],
    ['word', oneOf(about, ['info', 'warn']), ['info'], ['Info', 'debug', '']],
    [
      'peppers',
      keyPeppers(about),
      [P, `1:${P}`, `2:${Q}, 1:${P}`, `1:${P},2:${Q}`, `255:${P}`],
      [
        '',
        `${P},`,
        `${P},1:${Q}`,
        `2:${P},1:${P}`,
        `${Q},2:${P}`,
        `2:${Q},${P}`,
        `0:${P}`,
        `256:${P}`,
        `2:${P.slice(8)}`,
        'x',
      ],
    ],
    ['master keys', masterKeys(about), [`1:${P}`, `2:${Q},1:${P}`], [P, `2:${P},1:${P}`, `1:${P},1:${Q}`]],
    ['http address', httpUrl(about), ['http://a', 'https://a/b/'], ['a', 'ftp://a', 'postgres://a', '/a']],
    ['http addresses', httpUrls(about), ['http://a', 'http://a, https://b/'], ['', 'http://a,', 'http://a,b', 'a']],
    ['database address', postgresUrl(about), ['postgres://a/b', 'postgresql://u:p@h:1/d'], ['mysql://a', 'a']],
    ['bytes', base64Bytes(about, 4), ['AAAAAA==', 'AAAAAAAA'], ['AAAA', '', '!!!!!!!!', 'AAAA AAAA']],
    ['json', json(about, 'a list', (value) => (Array.isArray(value) ? value : undefined)), ['[]'], ['{}', '[', '']],
  ] as const)('%s', (_, setting, fitting, unfitting) => {
    for (const given of fitting) expect(read(setting, given), given).toMatchObject({ ok: true });
    for (const given of unfitting) expect(read(setting, given), given).toMatchObject({ ok: false });
  });
});

test('a refused list of peppers or master keys says the way out, and shows no secret', () => {
  const [same, unnumbered] = [read(masterKeys(about), `2:${P},1:${P}`), read(keyPeppers(about), `${Q},2:${P}`)];
  expect(same).toMatchObject({ expected: expect.stringContaining('2 and 1 are the same. Draw the new one') });
  expect(read(keyPeppers(about), `2:${P},1:${P}`)).toEqual(same);
  expect(unnumbered).toMatchObject({ expected: expect.stringContaining('every pepper has a number') });
  for (const secret of [P, Q]) expect(JSON.stringify([same, unnumbered])).not.toContain(secret);
});

test('a list loses its blanks, an address its last slash', () => {
  expect(read(commaList(about), 'a, b,,c ')).toEqual({ ok: true, value: ['a', 'b', 'c'] });
  expect(read(httpUrls(about), 'http://a/, http://b:1')).toEqual({ ok: true, value: ['http://a', 'http://b:1'] });
  expect(read(httpUrl(about), 'https://a.example/pay/')).toEqual({ ok: true, value: 'https://a.example/pay' });
});

const group = {
  port: wholeNumber({ name: 'SVC_PORT', about: 'Where to listen.', fallback: '80' }, 0, 65_535),
  pepper: secret(base64Bytes({ name: 'SVC_PEPPER', about: 'Peppers keys.' }, 32)),
  feed: optional(httpUrl({ name: 'SVC_FEED', about: 'Prices.' })),
};
const pepper = Buffer.alloc(32, 7).toString('base64');

test('fallbacks and absences are read, and the result is frozen', () => {
  const result = readSettings(group, { SVC_PEPPER: pepper, SVC_FEED: '' });
  expect(result).toEqual({ ok: true, values: { port: 80, pepper: Buffer.alloc(32, 7) } });
  expect(Object.isFrozen(result.ok && result.values)).toBe(true);
});

test('every problem is named at once, by variable', () => {
  expect(readSettings(group, { SVC_PORT: 'x', SVC_FEED: 'y' })).toEqual({
    ok: false,
    problems: [
      'SVC_PORT must be a whole number, 0 to 65535',
      'SVC_PEPPER is missing: base64 of at least 32 bytes, or in the file that SVC_PEPPER_FILE names',
      'SVC_FEED must be an http or https address',
    ],
  });
});

test('a problem never repeats the value it is about', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^canary[0-9a-z]{6,20}$/), (canary) => {
      const result = readSettings(group, { SVC_PORT: canary, SVC_PEPPER: `${canary}!`, SVC_FEED: canary });
      expect(JSON.stringify(result)).not.toContain(canary);
    }),
  );
});

test('a secret can have no fallback', () => {
  expect(() => secret(text({ ...about, fallback: 'changeme' }))).toThrow('no fallback');
});

test('the table says what is required, what is secret and what happens otherwise', () => {
  expect(settingsTable(group).split('\n').slice(2)).toEqual([
    '| `SVC_PORT` | a whole number, 0 to 65535 | `80` | Where to listen. |',
    '| `SVC_PEPPER` or `SVC_PEPPER_FILE` | secret; base64 of at least 32 bytes | **required** | Peppers keys. |',
    '| `SVC_FEED` | an http or https address | nothing | Prices. |',
  ]);
});
