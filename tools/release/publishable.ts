// Which workspaces go to the registry: those that are not private.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export type Workspace = { readonly name: string; readonly folder: string; readonly problems: readonly string[] };
type Manifest = { name: string; private?: boolean; workspaces?: readonly string[]; exports?: unknown };

export function publishableWorkspaces(root: string): Workspace[] {
  const folders = globSync([...(manifestIn(root).workspaces ?? [])], { cwd: root }).sort();
  return folders
    .filter((folder) => existsSync(path.join(root, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: manifestIn(path.join(root, folder)) }))
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ folder, manifest }) => ({
      name: manifest.name,
      folder,
      problems: problemsOf(path.join(root, folder), manifest),
    }));
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
}

function problemsOf(folder: string, manifest: Manifest): string[] {
  const problems: string[] = [];
  if (!existsSync(path.join(folder, 'LICENSE'))) problems.push(`${manifest.name}: has no LICENSE file to publish`);
  // Node strips types in a workspace but refuses to inside node_modules: such a package could not be imported.
  const typescript = targetsOf(manifest.exports).filter((target) => /(?<!\.d)\.[cm]?ts$/.test(target));
  if (typescript.length > 0) problems.push(`${manifest.name}: exports TypeScript (${typescript.join(', ')})`);
  return problems;
}

function targetsOf(exports: unknown): string[] {
  if (typeof exports === 'string') return [exports];
  return typeof exports === 'object' && exports !== null ? Object.values(exports).flatMap(targetsOf) : [];
}
