import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { nodeProblem } from './check-node.ts';

test('a Node of the right version with other bytes is named', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'node-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = path.join(folder, 'node');
  writeFileSync(program, 'the pinned program');
  const pinned = createHash('sha256').update('the pinned program').digest('hex');
  expect(nodeProblem(pinned, program)).toBeUndefined();
  writeFileSync(program, 'the pinned program, and more');
  expect(nodeProblem(pinned, program)).toContain('is not the Node that .ci/with-node pins');
});
