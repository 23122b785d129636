import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ASSET_FOLDER, buildAssets } from './build-assets.ts';

test('the scripts that the API serves are those of the sources; after a change run: npm run assets', async () => {
  const built = await buildAssets();
  expect(readdirSync(ASSET_FOLDER).sort()).toEqual([...built.keys()].sort());
  for (const [name, code] of built) {
    // Not compared as a whole: a difference in a long line would be printed as one.
    const isSame = readFileSync(path.join(ASSET_FOLDER, name), 'utf8') === code;
    expect({ name, isSame }).toEqual({ name, isSame: true });
  }
});
