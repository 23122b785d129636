// npm run release:version     gives every package the next version from .changeset, and writes it into the root manifest,
//                             the lock and the changelog. Review and commit the result.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runTool } from './run-tool.ts';
import { datedChangelog, withOwnVersion } from './write-version.ts';

const root = process.cwd();
const ran = runTool(root, 'changeset', ['version']);
if (!ran.ok) {
  console.error(ran.problem);
  process.exit(1);
}
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const { version } = JSON.parse(read('packages/core/package.json')) as { version: string };
for (const file of ['package.json', 'package-lock.json'])
  writeFileSync(path.join(root, file), withOwnVersion(read(file), version));
const date = runTool(root, 'git', ['show', '--no-patch', '--format=%cs', 'HEAD']);
if (!date.ok) throw new Error(date.problem);
writeFileSync(path.join(root, 'CHANGELOG.md'), datedChangelog(read('CHANGELOG.md'), version, date.output.trim()));
console.log(`version ${version} everywhere; review, commit, then: npm run release -- --dry`);
