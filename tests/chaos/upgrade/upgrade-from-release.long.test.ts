import { expect, test } from 'vitest';
import { changedMigrations } from '../../house/landed-migrations.ts';
import { migrationsSince, newestRelease } from './previous-release.ts';
import { upgradeUnderLoad } from './upgrade-drill.ts';

test('the newest release and this commit run side by side under load, and the release goes: no answer fails', async ({
  skip,
}) => {
  const newest = newestRelease();
  skip(!newest.ok, newest.ok ? '' : newest.why);
  if (!newest.ok) return;
  const { before, after } = migrationsSince(newest.commit);
  expect(changedMigrations(before, after)).toEqual([]);
  await upgradeUnderLoad(newest.commit);
}, 600_000);
