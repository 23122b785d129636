// A package as it is published, in a folder of its own: bundles, declarations, a manifest without dependencies, licences.
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BundledCode, bundleCode } from './bundle-code.ts';
import { bundleTypes, declarationOf } from './bundle-types.ts';
import { entryName, type Manifest, manifestIn, type PackagePlan } from './plan.ts';

const ENGINES = { node: '>=20.19' };

/** Returns what of others went in. */
export async function stagePackage(
  root: string,
  declarations: string,
  plan: PackagePlan,
  stageDirectory: string,
): Promise<BundledCode> {
  const folder = path.join(root, plan.folder);
  const manifest = manifestIn(folder);
  const dist = path.join(stageDirectory, 'dist');
  rmSync(stageDirectory, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const entries = Object.entries(manifest.exports);
  const inputOf = (fileOf: (file: string) => string, only?: readonly string[]) =>
    Object.fromEntries(
      entries
        .filter(([entry]) => only === undefined || only.includes(entry))
        .map(([entry, file]) => [entryName(entry), fileOf(file)]),
    );
  const borrowed = new Set<string>();
  const { external = [], wholeOf } = plan;
  for (const { platform, folder: into, only } of plan.builds) {
    const input = inputOf((file) => path.join(folder, file), only);
    const built = await bundleCode(input, path.join(dist, into), { platform, external });
    for (const place of built.borrowed) borrowed.add(place);
  }
  const types = inputOf((file) => declarationOf(declarations, path.join(plan.folder, file)));
  const declared = await bundleTypes(root, declarations, types, { outDirectory: dist, external });
  for (const place of declared.borrowed) borrowed.add(place);
  if (plan.wholeFile !== undefined)
    await writeWhole(
      plan.wholeFile,
      entries.filter(([entry]) => wholeOf?.includes(entry) ?? true).map(([entry]) => entryName(entry)),
      dist,
    );
  writeFileSync(path.join(stageDirectory, 'package.json'), `${JSON.stringify(published(manifest, plan), null, 2)}\n`);
  copyFileSync(path.join(root, 'LICENSE'), path.join(stageDirectory, 'LICENSE'));
  copyFileSync(path.join(folder, 'README.md'), path.join(stageDirectory, 'README.md'));
  writeFileSync(path.join(stageDirectory, 'THIRD-PARTY-NOTICES.txt'), noticesFor(borrowed));
  return { borrowed };
}

async function writeWhole(file: string, names: readonly string[], dist: string): Promise<void> {
  const name = path.basename(file, '.js');
  const text = names.map((one) => `export * from './${one}.js';\n`).join('');
  const source = path.join(dist, 'whole.js');
  writeFileSync(source, text);
  await bundleCode({ [name]: source }, dist, { platform: 'browser', minify: true });
  rmSync(source);
  writeFileSync(path.join(dist, `${name}.d.ts`), text);
}

function published(manifest: Manifest, { builds, wholeFile }: PackagePlan) {
  const { name, version, description, license, exports, sideEffects = false } = manifest;
  const { peerDependencies, peerDependenciesMeta } = manifest;
  const targets = Object.keys(exports).map((entry) => {
    const file = entryName(entry);
    const fitting = builds.filter(({ only }) => only === undefined || only.includes(entry));
    const conditions = fitting.map(({ condition, folder }): [string, string] => [
      fitting.length === 1 ? 'default' : condition,
      `./${path.posix.join('dist', folder, `${file}.js`)}`,
    ]);
    return [entry, { types: `./dist/${file}.d.ts`, ...Object.fromEntries(conditions) }];
  });
  const whole = wholeFile && {
    [`./${wholeFile}`]: { types: `./dist/${wholeFile.replace(/\.js$/, '.d.ts')}`, default: `./dist/${wholeFile}` },
  };
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    sideEffects,
    engines: ENGINES,
    exports: { ...Object.fromEntries(targets), ...whole },
    files: ['dist', 'THIRD-PARTY-NOTICES.txt'],
    ...(peerDependencies && { peerDependencies, peerDependenciesMeta }),
  };
}

function noticesFor(borrowed: ReadonlySet<string>): string {
  const notices = [...borrowed].sort().map((place) => {
    const { name, version } = manifestIn(place);
    const [licence] = globSync('{LICENSE,LICENCE}*', { cwd: place });
    if (licence === undefined || !existsSync(path.join(place, licence))) throw new Error(`${name} ships no licence`);
    return `${name} ${version}\n\n${readFileSync(path.join(place, licence), 'utf8').trim()}\n`;
  });
  return ['This package contains code of others, under their licences.\n', ...notices].join('\n---\n\n');
}
