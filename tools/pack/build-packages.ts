import path from 'node:path';
import { emitDeclarations } from './bundle-types.ts';
import { PACKAGES } from './plan.ts';
import { stagePackage } from './stage-package.ts';

/** Builds everything that is published; returns the folders that can be packed as they are. */
export async function buildPackages(root: string, outDirectory: string): Promise<readonly string[]> {
  const declarations = path.join(outDirectory, 'declarations');
  emitDeclarations(
    root,
    PACKAGES.map(({ folder }) => folder),
    declarations,
  );
  const staged: string[] = [];
  for (const plan of PACKAGES) {
    const stage = path.join(outDirectory, 'stage', path.basename(plan.folder));
    await stagePackage(root, declarations, plan, stage);
    staged.push(stage);
  }
  return staged;
}
