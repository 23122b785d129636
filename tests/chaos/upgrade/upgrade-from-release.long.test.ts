import { expect, test } from 'vitest';
import { changedMigrations } from '../../house/landed-migrations.ts';
import { migrationsSince, newestRelease } from './previous-release.ts';
import { upgradeUnderLoad } from './upgrade-drill.ts';

test('the newest release and this commit run side by side under load, and the release goes: no answer fails', async ({
  skip,
}) => {
  const commit = newestRelease();
  if (commit === undefined) {
    skip('no tag v* before this commit: nothing is released yet');
  } else {
    const { before, after } = migrationsSince(commit);
    expect(changedMigrations(before, after)).toEqual([]);
    await upgradeUnderLoad(commit);
  }
}, 600_000);
