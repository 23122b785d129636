// npm run assets     writes the scripts that the API serves to browsers; run it after a change to the pay button or its SDK
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ASSET_FOLDER, buildAssets } from './build-assets.ts';

mkdirSync(ASSET_FOLDER, { recursive: true });
for (const [name, code] of await buildAssets()) {
  writeFileSync(path.join(ASSET_FOLDER, name), code);
  console.log(`${path.join(ASSET_FOLDER, name)}: ${code.length} characters`);
}
