import { expect, test } from 'vitest';
import { changedMigrations, startsBaseline } from '../../house/landed-migrations.ts';
import { migrationsSince, previousCommit } from './previous-release.ts';
import { upgradeUnderLoad } from './upgrade-drill.ts';

const commit = previousCommit();
const { before, after } = migrationsSince(commit);
const isBaseline = startsBaseline(before, after);

test('this commit only adds migrations, unless it is the one that wrote the baseline', () => {
  expect(isBaseline ? [] : changedMigrations(before, after)).toEqual([]);
});

test('the commit before this one and this one run side by side under load, and the old one goes: no answer fails', async ({
  skip,
}) => {
  // The baseline replaced the migrations of development before the first release: a database of the commit before it can't be
  // upgraded, so that one commit has nothing to run side by side. tests/house/landed-migrations.test.ts holds the rule.
  skip(isBaseline, 'this commit wrote the baseline of migrations');
  await upgradeUnderLoad(commit);
}, 300_000);
