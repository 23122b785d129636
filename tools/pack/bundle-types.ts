// Declarations of a package in as few files as its entries share. The compiler writes one per source file; the bundler
// joins them with the types of what is bundled, so that they resolve where nothing else is installed.
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { runTool } from '../release/run-tool.ts';
import { type BundledCode, borrowedBy } from './bundle-code.ts';
import { manifestIn } from './plan.ts';

/** Declarations of all of our own packages, as `<outDirectory>/<path of the source>.d.ts`. */
export function emitDeclarations(root: string, folders: readonly string[], outDirectory: string): void {
  rmSync(outDirectory, { recursive: true, force: true });
  mkdirSync(outDirectory, { recursive: true });
  // Every file by name: one that is only reached through node_modules would count as somebody else's and be left out.
  const files = [...folders, 'packages/money', 'packages/protocol'].flatMap((folder) =>
    globSync('src/**/*.ts', { cwd: path.join(root, folder) })
      .filter((file) => !/\.test\.ts$|^src\/testing\//.test(file))
      .map((file) => path.join(root, folder, file)),
  );
  const config = path.join(outDirectory, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: root,
    outDir: outDirectory,
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: ['node'],
    typeRoots: [path.join(root, 'node_modules/@types')],
  };
  writeFileSync(config, JSON.stringify({ extends: path.join(root, 'tsconfig.base.json'), compilerOptions, files }));
  const ran = runTool(root, 'tsc', ['-p', config]);
  if (!ran.ok) throw new Error(ran.problem);
}

export async function bundleTypes(
  root: string,
  declarations: string,
  input: Readonly<Record<string, string>>,
  { outDirectory, external = [] }: { readonly outDirectory: string; readonly external?: readonly string[] },
): Promise<BundledCode> {
  const bundle = await rolldown({
    input: { ...input },
    external: [/^node:/, ...external],
    plugins: [
      ownPackages(root, declarations),
      dts({ dtsInput: true, tsconfig: path.join(declarations, 'tsconfig.json') }),
    ],
    onLog: (_, log) => {
      // Says that the plugin above was slow, which a busy machine makes true of any build. Seen at load 15.
      if (log.code === 'PLUGIN_TIMINGS') return;
      throw new Error(log.message);
    },
  });
  const { output } = await bundle.write({ dir: outDirectory, format: 'esm', chunkFileNames: 'shared-[hash].d.ts' });
  await bundle.close();
  return { borrowed: borrowedBy(output) };
}

/** `@svc-pay/protocol/hash` is the declaration that was made from its source; zod is where it is installed. */
function ownPackages(root: string, declarations: string): Plugin {
  return {
    name: 'own-packages',
    resolveId: {
      order: 'pre',
      handler(id, importer) {
        if (importer !== undefined && /^\..*(?<!\.d)\.ts$/.test(id)) return declarationOf(path.dirname(importer), id);
        if (id === 'zod/mini') return path.join(root, 'node_modules/zod/mini/index.d.ts');
        const [, name, entry] = /^@svc-pay\/([^/]+)(\/.*)?$/.exec(id) ?? [];
        if (name === undefined) return undefined;
        const folder = name === 'sdk' ? 'sdk/browser' : `packages/${name}`;
        const file = manifestIn(path.join(root, folder)).exports[entry === undefined ? '.' : `.${entry}`];
        if (file === undefined) throw new Error(`${id} is no entry of its package`);
        return declarationOf(declarations, path.join(folder, file));
      },
    },
  };
}

export function declarationOf(declarations: string, source: string): string {
  return path.join(declarations, source.replace(/\.ts$/, '.d.ts'));
}
