import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { changedMigrations, digestLines, landedMigrations, startsBaseline } from './landed-migrations.ts';

const FOLDER = 'packages/postgres/migrations';
const files = new Map(readdirSync(FOLDER).map((file) => [file, readFileSync(`${FOLDER}/${file}`)]));
const today = landedMigrations(files);
const baseline = today.slice(0, 10);
const development = [
  { file: '0001_foundations.sql', digest: '6b612d6ea776a8d25489c839af126ca61efb88e7516ea1f78abb94840797706f' },
  { file: '0002_history.sql', digest: '0'.repeat(64) },
];

test('every migration is in the list of landed ones, as it landed: an edit of one is red', () => {
  expect(digestLines(today)).toBe(files.get('digests')?.toString());
});

test('the first ten migrations are the baseline', () => {
  expect(startsBaseline(development, baseline)).toBe(true);
});

describe('a planted change of the list', () => {
  const added = { file: '0011_added.sql', digest: '1'.repeat(64) };
  const edited = baseline.map((one, index) => (index === 3 ? { ...one, digest: '2'.repeat(64) } : one));
  const slippedIn = [...baseline.slice(0, 9), { ...added, file: '0009_slipped_in.sql' }, ...baseline.slice(9)];

  test('a migration that is appended is right, and none is too', () => {
    expect(changedMigrations(baseline, [...baseline, added])).toEqual([]);
    expect(changedMigrations(baseline, baseline)).toEqual([]);
  });

  test('one that is edited, removed, renamed or slipped in between is wrong', () => {
    expect(changedMigrations(baseline, edited)).toEqual([expect.stringContaining(baseline[3]?.file ?? '')]);
    expect(changedMigrations([...baseline, added], baseline)).toEqual([expect.stringContaining('0011_added.sql')]);
    const renamed = baseline.map((one, index) => (index === 9 ? { ...one, file: '0010_renamed.sql' } : one));
    expect(changedMigrations(baseline, renamed)).toHaveLength(1);
    expect(changedMigrations(baseline, slippedIn)).toHaveLength(1);
  });

  test('no commit but the one that wrote the baseline may replace the migrations of development', () => {
    expect(changedMigrations(development, baseline)).not.toEqual([]);
    expect(startsBaseline(development, edited)).toBe(false);
    expect(startsBaseline(development, [...baseline, added])).toBe(false);
    expect(startsBaseline(development, slippedIn)).toBe(false);
    expect(startsBaseline(baseline, baseline)).toBe(false);
    expect(startsBaseline(edited, baseline)).toBe(false);
    expect(startsBaseline([], baseline)).toBe(false);
  });
});
