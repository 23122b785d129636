// One name, one type: an exported type, interface or class shares its name with no other that the same reader meets.
// A library of the SDK is read without the services, so it is held apart from them, but not from what it can import.
import { parseSync } from 'oxc-parser';
import { codeOf, isTest, type SourceTree } from './source-tree.ts';

/** Each list is one reader's world, by path prefixes. */
const READERS: readonly (readonly string[])[] = [
  ['packages/', 'services/', 'cli/', 'sandbox/'],
  ['sdk/browser/', 'sdk/pay-button/', 'packages/protocol/', 'packages/money/'],
  ['sdk/server/', 'sdk/x402/', 'packages/protocol/', 'packages/money/'],
];

/** Named after the function or the table beside them, and imported only together with it. */
const BESIDE = /(?:Row|Options|Props)$/;

export function doubleTypeNames(tree: SourceTree): string[] {
  const declared = [...codeOf(tree)]
    .filter(([file]) => !isTest(file))
    .flatMap(([file, text]) => exportedTypes(file, text).map((name) => ({ name, file: variantsAsOne(file) })));
  const doubles = READERS.flatMap((prefixes) => {
    const seen = declared.filter(({ file }) => prefixes.some((prefix) => file.startsWith(prefix)));
    return [...Map.groupBy(seen, ({ name }) => name)].flatMap(([name, places]) => {
      const files = [...new Set(places.map(({ file }) => file))];
      return files.length > 1 && !BESIDE.test(name) ? [`${name}: ${files.toSorted().join(', ')}`] : [];
    });
  });
  return [...new Set(doubles)].toSorted();
}

/** `hmac.node.ts` and `hmac.web.ts` are one module for two platforms. */
const variantsAsOne = (file: string) => file.replace(/\.(?:node|web)\.ts$/, '.ts');

function exportedTypes(file: string, text: string): string[] {
  const { program } = parseSync(file, text);
  const imported = new Set(
    program.body.flatMap((statement) =>
      statement.type === 'ImportDeclaration' ? statement.specifiers.map(({ local }) => local.name) : [],
    ),
  );
  return program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return [];
    const { declaration, source, specifiers } = statement;
    // `export type { A as B }` of a name that this file declares; a re-export from another file is no declaration.
    if (declaration === null && source === null && statement.exportKind === 'type') {
      return specifiers.flatMap(({ local, exported }) =>
        local.type === 'Identifier' && exported.type === 'Identifier' && !imported.has(local.name)
          ? [exported.name]
          : [],
      );
    }
    if (declaration?.type === 'TSEnumDeclaration') return [declaration.id.name];
    if (declaration?.type === 'TSTypeAliasDeclaration' || declaration?.type === 'TSInterfaceDeclaration') {
      return [declaration.id.name];
    }
    return declaration?.type === 'ClassDeclaration' && declaration.id !== null ? [declaration.id.name] : [];
  });
}
