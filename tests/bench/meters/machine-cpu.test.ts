import { expect, test } from 'vitest';
import { parseMachineCpu } from './machine-cpu.ts';

test('waiting for a disk and stolen time are not busy, interrupts are in the kernel', () => {
  const text = 'cpu  1000 100 300 4000 500 20 80 700 60 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n';
  expect(parseMachineCpu(text)).toEqual({ busy: 15, kernel: 4, stolen: 7, total: 67 });
});

test('a text without the line of all cores is an error', () => {
  expect(() => parseMachineCpu('cpu0 1 1 1 1\n')).toThrow('does not count');
});
