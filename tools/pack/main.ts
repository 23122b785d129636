// npm run packages     builds what is published, packs it, has it judged, installs it into an empty project and uses it
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { packFolder } from '../release/pack-folder.ts';
import { buildPackages } from './build-packages.ts';
import { judgePackage } from './judge-package.ts';
import { tryPackages } from './try-packages.ts';

const root = process.cwd();
const out = path.resolve('.cache/pack');
rmSync(out, { recursive: true, force: true });
mkdirSync(path.join(out, 'packed'), { recursive: true });
const { staged } = await buildPackages(root, out);
const problems: string[] = [];
const tarballs: string[] = [];
for (const stage of staged) {
  const packed = packFolder(root, stage, path.join(out, 'packed'));
  if (!packed.ok) {
    problems.push(packed.problem);
    continue;
  }
  const tarball = path.join(out, 'packed', packed.file);
  tarballs.push(tarball);
  const judged = await judgePackage(stage, tarball);
  console.log(`${judged.length === 0 ? 'ok ' : 'RED'}  ${packed.file}  publint, arethetypeswrong`);
  problems.push(...judged);
}
for (const { name, problem } of problems.length > 0 ? [] : await tryPackages(root, tarballs)) {
  console.log(`${problem === undefined ? 'ok ' : 'RED'}  ${name}`);
  if (problem !== undefined) problems.push(`${name}: ${problem}`);
}
for (const problem of problems) console.error(`     ${problem}`);
console.log(`packages: ${tarballs.length} packed, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
