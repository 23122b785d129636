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

/** `import('x').T` as a type, `import a = require('x')` and a reference to types, which are no import statements. */
const TYPE_IMPORT = /(?:\bimport\(\s*|\brequire\(\s*|<reference\s+types=)['"]([^'"\n]+)['"]/g;

function specifiersOf(file: string, text: string): string[] {
  const { module, program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const exported = program.body.flatMap((statement) =>
    statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportAllDeclaration'
      ? [statement.source?.value]
      : [],
  );
  const typed = [...text.matchAll(TYPE_IMPORT)].map(([, specifier]) => specifier);
  const dynamic = module.dynamicImports.map(({ moduleRequest }) =>
    text.slice(moduleRequest.start, moduleRequest.end).replaceAll(/^['"`]|['"`]$/g, ''),
  );
  const imported = module.staticImports.map((statement) => statement.moduleRequest.value);
  return [...new Set([...imported, ...exported, ...dynamic, ...typed])].filter((specifier) => specifier !== undefined);
}
