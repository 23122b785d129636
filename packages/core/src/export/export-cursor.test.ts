import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openCursor, signCursor } from '../account/signed-cursor.ts';
import { printExportCursor, readExportCursor } from './export-cursor.ts';

const PEPPER = new Uint8Array(32).fill(7);
const OWNER = { accountId: 'acct_a', mode: 'live' } as const;
const OF = 'export payments';
const TEXT = printExportCursor({ after: { position: 12n, bookingId: 'lg_1' }, watermark: 99n });

test('a cursor opens for the account, mode, kind and pepper that it was given for, and for nothing else', () => {
  const cursor = signCursor(PEPPER, OWNER, OF, TEXT);
  expect(openCursor([PEPPER], OWNER, OF, cursor)).toBe(TEXT);
  expect(openCursor([PEPPER], { ...OWNER, accountId: 'acct_b' }, OF, cursor)).toBeUndefined();
  expect(openCursor([PEPPER], { ...OWNER, mode: 'test' }, OF, cursor)).toBeUndefined();
  expect(openCursor([PEPPER], OWNER, 'export ledger', cursor)).toBeUndefined();
  expect(openCursor([new Uint8Array(32)], OWNER, OF, cursor)).toBeUndefined();
});

test('a cursor that was changed, cut or made up is refused', () => {
  const cursor = signCursor(PEPPER, OWNER, OF, TEXT);
  const [body = '', code = ''] = cursor.split('.');
  const moved = Buffer.from(TEXT.replace('99', '999')).toString('base64url');
  for (const forged of [`${moved}.${code}`, body, `${body}.`, `${cursor}.x`, `.${code}`, '', 'x'.repeat(600)])
    expect(openCursor([PEPPER], OWNER, OF, forged), forged).toBeUndefined();
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(openCursor([PEPPER], OWNER, OF, text)).toBeUndefined();
    }),
  );
});

test('what a cursor says comes back, with and without a watermark', () => {
  for (const watermark of [99n, undefined]) {
    const cursor = { after: { position: -1n, bookingId: '' }, watermark };
    expect(readExportCursor(printExportCursor(cursor))).toEqual(cursor);
  }
  for (const text of ['', '1:x', "1:x';--:2", '1:x:y', 'x:y:1']) expect(readExportCursor(text)).toBeUndefined();
});

test('a cursor of an older pepper opens as long as that pepper is given', () => {
  const next = new Uint8Array(32).fill(9);
  const cursor = signCursor(PEPPER, OWNER, OF, TEXT);
  expect(openCursor([next, PEPPER], OWNER, OF, cursor)).toBe(TEXT);
  expect(openCursor([next], OWNER, OF, cursor)).toBeUndefined();
});
