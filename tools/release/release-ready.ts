// What only a release must fulfil: one version everywhere, a changelog and a tag that name it, nothing uncommitted.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runTool } from './run-tool.ts';
import { hasSection } from './write-version.ts';

type Manifest = { readonly name: string; readonly version?: string; readonly workspaces?: readonly string[] };

export function releaseProblems(root: string, commit: string): string[] {
  const manifest = readManifest(path.join(root, 'package.json'));
  const { version = '', workspaces = [] } = manifest;
  const problems: string[] = [];
  for (const file of globSync(
    workspaces.map((folder) => `${folder}/package.json`),
    { cwd: root },
  ).sort()) {
    const own = readManifest(path.join(root, file));
    if (own.version !== version) problems.push(`${own.name} has version ${own.version}, the release has ${version}`);
  }
  const pending = globSync('.changeset/*.md', { cwd: root }).filter((file) => !file.endsWith('README.md'));
  if (pending.length > 0)
    problems.push(`changes without a version: ${pending.length}; run npm run release:version and commit`);
  if (!hasSection(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'), version))
    problems.push(`CHANGELOG.md has no section "## ${version}"`);
  const tags = runTool(root, 'git', ['tag', '--points-at', commit]);
  if (!tags.ok) problems.push(tags.problem);
  else if (!tags.output.split('\n').includes(`v${version}`))
    problems.push(`the commit ${commit.slice(0, 7)} has no tag v${version}; run git tag --sign v${version}`);
  const dirty = runTool(root, 'git', ['status', '--porcelain']);
  if (!dirty.ok) problems.push(dirty.problem);
  else if (dirty.output !== '') problems.push('there are uncommitted changes; a release is made of a commit');
  return problems;
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}
