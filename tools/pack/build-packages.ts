import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type InstalledPackage, type Lock, lockedPackage } from '../release/image/installed-packages.ts';
import { emitDeclarations } from './bundle-types.ts';
import { PACKAGES } from './plan.ts';
import { stagePackage } from './stage-package.ts';

type BuiltPackages = {
  /** Folders that can be packed as they are. */
  readonly staged: readonly string[];
  /** Packages of others whose code or types went in, as the lock pins them. */
  readonly bundled: readonly InstalledPackage[];
};

/** Builds everything that is published, with what is installed in `root`. */
export async function buildPackages(root: string, outDirectory: string): Promise<BuiltPackages> {
  const declarations = path.join(outDirectory, 'declarations');
  emitDeclarations(
    root,
    PACKAGES.map(({ folder }) => folder),
    declarations,
  );
  const staged: string[] = [];
  const borrowed = new Set<string>();
  for (const plan of PACKAGES) {
    const stage = path.join(outDirectory, 'stage', path.basename(plan.folder));
    const built = await stagePackage(root, declarations, plan, stage);
    for (const place of built.borrowed) borrowed.add(path.relative(root, place));
    staged.push(stage);
  }
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Lock;
  return { staged, bundled: [...borrowed].sort().map((location) => lockedPackage(lock, location)) };
}
