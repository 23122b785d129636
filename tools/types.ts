// Type-checks every project of the repository. Projects that see the code alike (Node, browser) are checked as one program,
// so that what they share is read once; what was found is kept in the cache folder for the next time.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

type Project = {
  readonly compilerOptions?: object;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
};

const CACHE = '.cache/types';
const files = globSync(
  '{.,packages/*,packages/chains/*,services/*,sdk/*,cli,sandbox,tests/browser}/tsconfig*.json',
).filter((file) => !file.endsWith('tsconfig.base.json'));
const projects = files.map((file) => {
  const { compilerOptions = {}, include, exclude = [] } = JSON.parse(readFileSync(file, 'utf8')) as Project;
  const fromCache = (pattern: string) => path.relative(CACHE, path.join(path.dirname(file), pattern));
  return { view: JSON.stringify(compilerOptions), include: include.map(fromCache), exclude: exclude.map(fromCache) };
});
const views = [...Map.groupBy(projects, ({ view }) => view)];
mkdirSync(CACHE, { recursive: true });
const red = views.filter(([view, of], index) => {
  const config = {
    extends: path.relative(CACHE, 'tsconfig.base.json'),
    compilerOptions: {
      ...(JSON.parse(view) as object),
      incremental: true,
      tsBuildInfoFile: `view-${index}.tsbuildinfo`,
    },
    include: of.flatMap(({ include }) => include),
    exclude: of.flatMap(({ exclude }) => exclude),
  };
  writeFileSync(`${CACHE}/view-${index}.json`, JSON.stringify(config));
  return spawnSync('tsc', ['-p', `${CACHE}/view-${index}.json`], { stdio: 'inherit' }).status !== 0;
});
console.log(`types: ${files.length} projects in ${views.length} views, ${red.length} of them red`);
process.exitCode = red.length === 0 ? 0 : 1;
