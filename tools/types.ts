// Type-checks every project of the repository: each tsconfig file is one view of the code (Node, browser).
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

const projects = globSync('{.,packages/*,services/*,sdk/*,sandbox,tests/browser}/tsconfig*.json').filter(
  (file) => !file.endsWith('tsconfig.base.json'),
);
const red = projects.filter((project) => spawnSync('tsc', ['-p', project], { stdio: 'inherit' }).status !== 0);
console.log(`types: ${projects.length - red.length} of ${projects.length} projects clean`);
process.exitCode = red.length === 0 ? 0 : 1;
