// The scripts of the pages, joined for a browser when the sandbox starts, and their styles as they are. Nothing is written.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';

/** By file name. */
export type PageFiles = ReadonlyMap<string, string>;

const FOLDER = path.resolve(import.meta.dirname, '../page');
const SCRIPTS = ['shop', 'timeline'];
const OTHERS = ['look.css', 'shop.css', 'timeline.css', 'icon.svg', 'tea.svg', 'verse.svg', 'biscuits.svg'];

export async function bundlePages(): Promise<PageFiles> {
  const bundle = await rolldown({
    input: Object.fromEntries(SCRIPTS.map((name) => [name, path.join(FOLDER, `${name}.ts`)])),
    platform: 'browser',
    // An import that can't be resolved would only be a warning, and the page would find out.
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
