import { existsSync, readFileSync } from 'node:fs';
import { ITEM_OUTCOMES } from '@svc-pay/core';
import { paymentProcessorAbi } from '@svc-pay/evm';
import { expect, test } from 'vitest';

const administration = new Set(['grantRole', 'revokeRole', 'renounceRole']);
const operations = paymentProcessorAbi
  .filter((entry) => entry.type === 'function' && entry.stateMutability === 'nonpayable')
  .map((entry) => ('name' in entry ? entry.name : ''))
  .filter((name) => !administration.has(name));
const namesOf = (type: string) =>
  new Set<string>(
    paymentProcessorAbi.filter((entry) => entry.type === type).map((entry) => ('name' in entry ? entry.name : '')),
  );
// Tables are padded by the formatter: spaces do not count.
const read = (file: string) => readFileSync(file, 'utf8').replaceAll(/ +/g, ' ');
const pageOf = (operation: string) =>
  `docs/contracts/${operation.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`;

test.each([...new Set(operations)])(
  '%s has a page that says what it promises, who calls, what it emits, what fails',
  (name) => {
    expect(existsSync(pageOf(name))).toBe(true);
    const page = read(pageOf(name));
    for (const heading of ['Promises', 'Who may call it', 'Emits', 'Can fail'])
      expect(page).toContain(`\n## ${heading}\n`);
    expect(read('docs/contracts/README.md')).toContain(pageOf(name).replace('docs/contracts/', '('));
  },
);

test('the page of the open `pay` says what is not credited', () => {
  expect(read('docs/contracts/pay.md')).toContain('make it an unattributed receipt');
});

test('every error that a page names exists in the contract', () => {
  const errors = namesOf('error');
  for (const operation of operations) {
    const failures = read(pageOf(operation)).split('## Can fail')[1] ?? '';
    for (const row of failures.split('\n').filter((line) => line.startsWith('| `'))) {
      const named = [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map((match) => match[1] ?? '');
      expect(named.filter((name) => !errors.has(name))).toEqual([]);
    }
  }
});

test('every event that a page names exists in the contract', () => {
  const events = namesOf('event');
  for (const operation of operations) {
    const emits = (read(pageOf(operation)).split('## Emits')[1] ?? '').split('## Can fail')[0] ?? '';
    const named = [...emits.matchAll(/`([A-Z]\w+)/g)]
      .map((match) => match[1] ?? '')
      .filter((name) => name !== 'Transfer');
    expect(named.filter((name) => !events.has(name))).toEqual([]);
  }
});

test('the codes of a batch are documented in order', () => {
  const page = read('docs/contracts/settle-batch.md');
  ITEM_OUTCOMES.forEach((code, index) => expect(page).toContain(`| ${index} | \`${code}\` |`));
});

test('the gas table shows the committed figures', () => {
  const snapshot = JSON.parse(readFileSync('contracts/evm/gas-snapshot.json', 'utf8')) as Record<string, number>;
  const page = read('docs/contracts/README.md');
  for (const [name, figure] of Object.entries(snapshot)) {
    if (name !== 'size_bytes') expect(page).toContain(`| ${figure.toLocaleString('en-US')} |`);
  }
});
