import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

test('the page about the Solana program names the sum of the committed binary', () => {
  const root = path.resolve(import.meta.dirname, '../../..');
  const binary = readFileSync(path.join(root, 'contracts/solana/program/svc_pay.so'));
  const page = readFileSync(path.join(root, 'docs/contracts/solana-program.md'), 'utf8');
  expect(page).toContain(`\`${createHash('sha256').update(binary).digest('hex')}\``);
});
