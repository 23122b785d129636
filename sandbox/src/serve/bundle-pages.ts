// Bundles the pages' scripts for a browser at start, in memory; styles are served unchanged.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';

/** File contents by file name. */
export type PageFiles = ReadonlyMap<string, string>;

const FOLDER = path.resolve(import.meta.dirname, '../page');
const SCRIPTS = ['shop', 'timeline'];
const OTHERS = [
  'look.css',
  'shop.css',
  'timeline.css',
  'icon.svg',
  'tea.svg',
  'verse.svg',
  'biscuits.svg',
  'honey.svg',
];

export async function bundlePages(): Promise<PageFiles> {
  const bundle = await rolldown({
    input: Object.fromEntries(SCRIPTS.map((name) => [name, path.join(FOLDER, `${name}.ts`)])),
    platform: 'browser',
    // An unresolved import is only a warning by default, and would fail later in the page.
    onLog: (level, log) => {
      if (level !== 'debug') throw new Error(log.message);
    },
  });
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true, chunkFileNames: 'shared-[hash].js' });
    const scripts = output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.code] as const] : []));
    const others = await Promise.all(
      OTHERS.map(async (name) => [name, await readFile(path.join(FOLDER, name), 'utf8')] as const),
    );
    return new Map([...scripts, ...others]);
  } finally {
    await bundle.close();
  }
}
