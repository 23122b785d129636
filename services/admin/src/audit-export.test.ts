import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAuditSigner, nextExport, signedHeadOf } from '@svc-pay/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startAuditExport } from './audit-export.ts';

const signer = createAuditSigner(randomBytes(32));
const made = nextExport(undefined, [], 1_000, signer);

test('the signed head is in the log and in the file, once at the start and once an hour; nothing new writes nothing', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'heads.jsonl');
  const [log, onExported] = [vi.fn(), vi.fn()];
  const answers = [made, undefined, made];
  const running = startAuditExport({ everyMs: 5, exportHeads: async () => answers.shift(), file, log, onExported });
  await vi.waitFor(() => expect(answers).toEqual([]));
  await running.stop();
  const head = signedHeadOf(made);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([head, head]);
  expect(log.mock.calls).toEqual([
    ['audit_head_signed', { head }],
    ['audit_head_signed', { head }],
  ]);
  expect(onExported.mock.calls).toEqual([['signed'], ['signed']]);
});

test('a failure is logged, and the next hour tries again', async () => {
  const [log, onExported] = [vi.fn(), vi.fn()];
  let tries = 0;
  const exportHeads = async () => {
    tries += 1;
    throw new Error('no database');
  };
  const running = startAuditExport({ everyMs: 5, exportHeads, file: undefined, log, onExported });
  await vi.waitFor(() => expect(tries).toBeGreaterThan(1));
  await running.stop();
  expect(log).toHaveBeenCalledWith('audit_head_not_signed', { err: expect.any(Error) });
  expect(onExported.mock.calls.every(([result]) => result === 'failed')).toBe(true);
});
