// A page's script, as a shop's bundler would make it.
import { rolldown } from 'rolldown';

/** Imports of `source` are resolved as from the folder of these tests. */
export async function bundlePage(source: string): Promise<string> {
  const bundle = await rolldown({
    input: 'page',
    platform: 'browser',
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? `${import.meta.dirname}/page.js` : undefined),
        load: (id) => (id === `${import.meta.dirname}/page.js` ? source : undefined),
      },
    ],
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    onLog: (_, log) => {
      throw new Error(log.message);
    },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return output[0].code;
}
