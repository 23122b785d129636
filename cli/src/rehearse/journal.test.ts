import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openJournal } from './journal.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'svc-journal-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = () => {
  files += 1;
  return path.join(folder, `${files}.jsonl`);
};

const NOW_MS = 1_800_000_000_000;
const GRACE_MS = 300_000;

test.each(['{', '{"kind":"ended","paymentInt', '{"kind":"ended","paymentIntentId":"pi_é'])(
  'a last line cut to %s is removed: later runs read what was written since',
  (cut) => {
    const file = newFile();
    openJournal(file).write({ kind: 'intent', flow: 'upto', paymentIntentId: 'pi_1', signs: '5' });
    appendFileSync(file, cut);
    openJournal(file).write({ kind: 'intent', flow: 'exact', paymentIntentId: 'pi_2', signs: '7' });
    const ids = openJournal(file)
      .open()
      .map(({ paymentIntentId }) => paymentIntentId);
    expect(ids).toEqual(['pi_1', 'pi_2']);
  },
);

test.each(['somebody’s notes', 'notes\n'])('%j is no journal, and stays as it is', (text) => {
  const file = newFile();
  writeFileSync(file, text);
  expect(() => openJournal(file)).toThrow();
  expect(readFileSync(file, 'utf8')).toBe(text);
});

/** A journal with one cap of 50, signed until ten minutes from now. */
function signed() {
  const journal = openJournal(newFile());
  journal.write({ kind: 'intent', flow: 'upto', paymentIntentId: 'pi_1', signs: '50' });
  const validBefore = NOW_MS / 1_000 + 600;
  journal.write({ kind: 'signed', paymentIntentId: 'pi_1', token: '0x1', amount: '50', validBefore });
  return { journal, expiredMs: validBefore * 1_000 + GRACE_MS };
}

test.each(['released', 'canceled', 'failed'] as const)('%s: the signature counts until it has expired', (how) => {
  const { journal, expiredMs } = signed();
  journal.write({ kind: 'ended', paymentIntentId: 'pi_1', how });
  expect([NOW_MS, expiredMs - 1, expiredMs].map(journal.spentAtomic)).toEqual([50n, 50n, 0n]);
});

test('what settled, or may have settled, counts for ever', () => {
  const { journal, expiredMs } = signed();
  expect(journal.spentAtomic(expiredMs)).toBe(50n);
  journal.write({ kind: 'ended', paymentIntentId: 'pi_1', how: 'completed' });
  expect(journal.spentAtomic(expiredMs)).toBe(50n);
});

test('an intent that ended before anything was signed does not count', () => {
  const journal = openJournal(newFile());
  journal.write({ kind: 'intent', flow: 'exact', paymentIntentId: 'pi_1', signs: '7' });
  journal.write({ kind: 'ended', paymentIntentId: 'pi_1', how: 'canceled' });
  expect(journal.spentAtomic(NOW_MS)).toBe(0n);
});
