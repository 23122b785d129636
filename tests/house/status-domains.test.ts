// Every status domain of the database has one transition table with the same values, and every table a domain.
import { STATE_MACHINES, statusesIn, type Transitions } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { committedFiles, type SourceTree } from './source-tree.ts';

/** A domain as it was made, or as a later migration changed it: the last one counts. */
const DOMAIN =
  /(?:create domain svc\.(\w+)_status as text|alter domain svc\.(\w+)_status add constraint \w+) check \(\s*value in \(([^)]*)\)/g;

function domainsIn(tree: SourceTree): Record<string, string[]> {
  const migrations = [...tree].filter(([file]) => /^packages\/postgres\/migrations\/\w+\.sql$/.test(file));
  return Object.fromEntries(
    migrations.flatMap(([, sql]) =>
      [...sql.matchAll(DOMAIN)].map(([, made, changed, values = '']) => [
        made ?? changed ?? '',
        [...values.matchAll(/'(\w+)'/g)].map(([, value = '']) => value).toSorted(),
      ]),
    ),
  );
}

test('every status domain has one table with the same values', () => {
  const tables = Object.entries<Transitions<string>>(STATE_MACHINES).map(([name, table]) => [
    name,
    statusesIn(table).toSorted(),
  ]);
  expect(domainsIn(committedFiles())).toEqual(Object.fromEntries(tables));
});

test('no migration makes a status column of plain text, or a domain that the test does not read', () => {
  const sql = [...committedFiles()].filter(([file]) => /^packages\/postgres\/migrations\/\w+\.sql$/.test(file));
  const columns = sql.flatMap(([, text]) => [...text.matchAll(/^ {2}status (\S+)/gm)].map(([, type = '']) => type));
  const domains = Object.keys(domainsIn(committedFiles())).map((name) => `svc.${name}_status`);
  // Several tables may have the status of one noun.
  expect([...new Set(columns)].toSorted()).toEqual(domains.toSorted());
});
