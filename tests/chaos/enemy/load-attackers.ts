import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Attacker } from './attacker.ts';

const FOLDER = path.join(import.meta.dirname, 'attackers');

/** Every file of attackers/ exports one attacker; a new file is a new attacker. In the order of their names. */
export async function loadAttackers(): Promise<readonly Attacker<unknown>[]> {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));
  return Promise.all(
    files.sort().map(async (file) => {
      const exported = Object.values((await import(pathToFileURL(path.join(FOLDER, file)).href)) as object);
      if (exported.length !== 1) throw new Error(`${file} exports ${exported.length} values instead of one attacker`);
      return exported[0] as Attacker<unknown>;
    }),
  );
}
