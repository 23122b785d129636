// Which source files the programs of the image can load, and which packages of others these files import. Tests, local
// chains and development servers are reached by no program, so they stay out without a list of what to leave out.
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

/** Text of every committed file, by its path from the root. */
export type SourceFiles = ReadonlyMap<string, Buffer>;

export type Trace = {
  readonly files: ReadonlySet<string>;
  /** Folder of a workspace to the names of others' packages that its files import. */
  readonly imported: ReadonlyMap<string, ReadonlySet<string>>;
};

type Conditional = string | { readonly node?: string; readonly default?: string };
type Manifest = {
  readonly name: string;
  readonly exports?: Readonly<Record<string, Conditional>>;
  readonly imports?: Readonly<Record<string, Conditional>>;
};

export function traceSources(sources: SourceFiles, entries: readonly string[]): Trace {
  const manifests = manifestsOf(sources);
  const folders = new Map([...manifests].map(([folder, { name }]) => [name, folder]));
  const files = new Set<string>();
  const imported = new Map<string, Set<string>>();

  const resolve = (specifier: string, from: string): string | undefined => {
    if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(from), specifier);
    const own = folderOf(from, manifests);
    if (specifier.startsWith('#')) return targetIn(manifests, own, 'imports', specifier);
    const name = packageName(specifier);
    const folder = folders.get(name);
    if (folder !== undefined) return targetIn(manifests, folder, 'exports', `.${specifier.slice(name.length)}`);
    imported.set(own, (imported.get(own) ?? new Set()).add(name));
    return undefined;
  };

  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    const content = sources.get(file);
    if (content === undefined) throw new Error(`${file} is imported and not committed`);
    files.add(file);
    const specifiers = file.endsWith('.ts') ? runtimeImports(file, content.toString('utf8')) : [];
    for (const specifier of specifiers) {
      if (specifier.startsWith('node:')) continue;
      const to = resolve(specifier, file);
      if (to !== undefined) waiting.push(to);
    }
  }
  for (const folder of new Set([...files].map((file) => folderOf(file, manifests))))
    files.add(`${folder}/package.json`);
  return { files, imported };
}

const REQUIRED = /createRequire\(import\.meta\.url\)\(\s*'([^']+)'/g;

/** What Node loads: imports of types are gone once types are stripped. */
function runtimeImports(file: string, text: string): string[] {
  const { module, program, errors } = parseSync(`${file}.js`, stripTypeScriptTypes(text), { sourceType: 'module' });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const exported = program.body.flatMap((statement) =>
    statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportAllDeclaration'
      ? [statement.source?.value]
      : [],
  );
  const stripped = stripTypeScriptTypes(text);
  const dynamic = module.dynamicImports.map(({ moduleRequest }) => {
    const request = stripped.slice(moduleRequest.start, moduleRequest.end);
    if (!/^(['"]).*\1$/.test(request)) throw new Error(`${file}: can't tell what import(${request}) loads`);
    return request.slice(1, -1);
  });
  const required = [...stripped.matchAll(REQUIRED)].map(([, specifier]) => specifier);
  const imports = module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
  return [...imports, ...exported, ...dynamic, ...required].filter((specifier) => specifier !== undefined);
}

function manifestsOf(sources: SourceFiles): Map<string, Manifest> {
  const found = [...sources].filter(([file]) => path.posix.basename(file) === 'package.json' && file.includes('/'));
  return new Map(
    found.map(([file, content]): [string, Manifest] => [
      path.posix.dirname(file),
      JSON.parse(content.toString('utf8')) as Manifest,
    ]),
  );
}

function folderOf(file: string, manifests: ReadonlyMap<string, Manifest>): string {
  for (let folder = path.posix.dirname(file); folder !== '.'; folder = path.posix.dirname(folder))
    if (manifests.has(folder)) return folder;
  throw new Error(`${file} belongs to no workspace`);
}

function targetIn(
  manifests: ReadonlyMap<string, Manifest>,
  folder: string,
  kind: 'exports' | 'imports',
  key: string,
): string {
  const target = manifests.get(folder)?.[kind]?.[key];
  const file = typeof target === 'object' ? (target.node ?? target.default) : target;
  if (file === undefined) throw new Error(`${folder} has no ${key} in its ${kind}`);
  return path.posix.join(folder, file);
}

/** `@aws-sdk/client-kms/x` is `@aws-sdk/client-kms`. */
function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
