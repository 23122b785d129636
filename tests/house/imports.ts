// Who imports whom, read from the code itself.
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import type { SourceTree } from './source-tree.ts';

export type Import = { readonly from: string; readonly specifier: string; readonly to: string | undefined };

/** Every import, re-export and dynamic import; `to` is the file behind a relative specifier. */
export function importsOf(tree: SourceTree): Import[] {
  return [...tree].flatMap(([from, text]) =>
    specifiersOf(from, text).map((specifier) => ({
      from,
      specifier,
      to: specifier.startsWith('.') ? path.posix.join(path.posix.dirname(from), specifier) : undefined,
    })),
  );
}

function specifiersOf(file: string, text: string): string[] {
  const { module, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const exported = module.staticExports.flatMap((statement) =>
    statement.entries.map((entry) => entry.moduleRequest?.value),
  );
  const dynamic = module.dynamicImports.map(({ moduleRequest }) =>
    text.slice(moduleRequest.start, moduleRequest.end).replaceAll(/^['"`]|['"`]$/g, ''),
  );
  const imported = module.staticImports.map((statement) => statement.moduleRequest.value);
  return [...new Set([...imported, ...exported, ...dynamic])].filter((specifier) => specifier !== undefined);
}

/** Files that import themselves through others, one list of files per cycle found. */
export function cyclesOf(imports: readonly Import[]): string[][] {
  const next = Map.groupBy(imports, (edge) => edge.from);
  const finished = new Set<string>();
  const cycles: string[][] = [];
  const visit = (file: string, trail: readonly string[]) => {
    const start = trail.indexOf(file);
    if (start !== -1) cycles.push([...trail.slice(start), file]);
    if (start !== -1 || finished.has(file)) return;
    for (const { to } of next.get(file) ?? []) if (to !== undefined) visit(to, [...trail, file]);
    finished.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return cycles;
}
