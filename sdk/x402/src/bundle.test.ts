import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, string>;
};

/** What an entry still imports when everything it needs has been put into one file. */
async function importsOf(entry: string, platform: 'node' | 'browser'): Promise<readonly string[]> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(`../${exports[entry]}`, import.meta.url)),
    platform,
    // An import that can't be resolved would only be a warning.
    onLog: (_, log) => {
      throw new Error(log.message);
    },
  });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  return output[0].imports;
}

test.each(Object.keys(exports))('%s is one ES module that needs no framework, only Node', async (entry) => {
  const imports = await importsOf(entry, 'node');
  expect(imports.filter((name) => !name.startsWith('node:'))).toEqual([]);
});

test.each(['.', './hono', './next'])('%s runs where there is no Node', async (entry) => {
  expect(await importsOf(entry, 'browser')).toEqual([]);
});
