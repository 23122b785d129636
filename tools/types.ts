// Type-checks every project of the repository: each tsconfig file is one view of the code (Node, browser). What was found is
// kept in the cache folder, so that the next time only what changed is looked at.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

const projects = globSync('{.,packages/*,services/*,sdk/*}/tsconfig*.json').filter(
  (file) => !file.endsWith('tsconfig.base.json'),
);
const red = projects.filter((project) => {
  const known = `.cache/types/${project.replaceAll('/', '-')}.tsbuildinfo`;
  return (
    spawnSync('tsc', ['-p', project, '--incremental', '--tsBuildInfoFile', known], { stdio: 'inherit' }).status !== 0
  );
});
console.log(`types: ${projects.length - red.length} of ${projects.length} projects clean`);
process.exitCode = red.length === 0 ? 0 : 1;
