// Writes docs/reference/sdk.md, sdk-server.md and sdk-x402.md from the types of the libraries: every exported name as its source
// declares it, with its own comment. TypeScript 7 has no compiler API, so the syntax tree is oxc's. The pages are committed;
// a test holds them fresh.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

type PagePlan = {
  readonly package: string;
  /** Names of entries, and where each begins. */
  readonly entries: Readonly<Record<string, string>>;
  readonly introduction: string;
};

export const SDK_PAGES: Readonly<Record<string, PagePlan>> = {
  'docs/reference/sdk.md': {
    package: 'sdk/browser',
    entries: {
      '@svc-pay/sdk': 'src/index.ts',
      '@svc-pay/sdk/evm': 'src/evm/index.ts',
      '@svc-pay/sdk/solana': 'src/solana/index.ts',
      '@svc-pay/sdk/icp': 'src/icp/index.ts',
      '@svc-pay/sdk/agent': 'src/agent/index.ts',
    },
    introduction: `# SDK reference

Every name of the browser SDK, as its source declares it. How they are used: [pay from a page](../integrate/browser.md) and
[let an agent pay](../guides/let-an-agent-pay.md).
Codes of the service that may stand in \`SvcPayError.code\`: [errors](errors.md). This page is made from the types
(\`npm run docs:sdk\`).
`,
  },
  'docs/reference/sdk-server.md': {
    package: 'sdk/server',
    entries: {
      '@svc-pay/server': 'src/index.ts',
      '@svc-pay/server/express': 'src/adapters/express.ts',
      '@svc-pay/server/fastify': 'src/adapters/fastify.ts',
      '@svc-pay/server/hono': 'src/adapters/hono.ts',
      '@svc-pay/server/next': 'src/adapters/next.ts',
      '@svc-pay/server/node': 'src/adapters/node.ts',
    },
    introduction: `# Server library reference

Every name of the merchant's server library, as its source declares it. How they are used:
[call the service from your server](../integrate/server.md) and [receive webhooks](../integrate/webhooks.md). Codes of the
service that may stand in \`CallFailure.code\`: [errors](errors.md). Shapes of intents and payments: [wire](wire.md); of
events: [events](events.md). This page is made from the types (\`npm run docs:sdk\`).
`,
  },
  'docs/reference/sdk-x402.md': {
    package: 'sdk/x402',
    entries: {
      '@svc-pay/x402': 'src/index.ts',
      '@svc-pay/x402/express': 'src/adapters/express.ts',
      '@svc-pay/x402/fastify': 'src/adapters/fastify.ts',
      '@svc-pay/x402/hono': 'src/adapters/hono.ts',
      '@svc-pay/x402/next': 'src/adapters/next.ts',
    },
    introduction: `# Seller library reference

Every name of the library for sellers, as its source declares it. How they are used: [sell an API](../guides/sell-an-api.md)
and [up-to, ours and the official one](../concepts/up-to-and-x402.md). This page is made from the types (\`npm run docs:sdk\`).
`,
  },
};

type Node = { readonly type: string; readonly start: number; readonly end: number };
type Declaration = Node & {
  readonly id?: { readonly name: string } | null;
  readonly declarations?: readonly { readonly id: { readonly name?: string } }[];
  readonly body?: Node & { readonly body?: readonly Member[] };
};
type Member = Node & { readonly kind?: string; readonly value?: { readonly body?: Node | null } | null };

export function sdkPage({ package: folder, entries, introduction }: PagePlan): string {
  const sections = Object.entries(entries).map(([name, file]) => {
    const entry = path.join(folder, file);
    const exported = exportsOf(entry).map(({ name: exportedName, from }) => declarationText(exportedName, from));
    return `## \`${name}\`\n\n${exported.join('\n')}`;
  });
  return `${introduction}\n${sections.join('\n')}`;
}

function exportsOf(entry: string): readonly { readonly name: string; readonly from: string }[] {
  const { module } = parseSync(entry, readFileSync(entry, 'utf8'));
  return module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ exportName, moduleRequest }) =>
      exportName.name === null
        ? []
        : [
            {
              name: exportName.name,
              from: moduleRequest === null ? entry : fileOf(entry, moduleRequest.value),
            },
          ],
    )
    .sort((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1));
}

const fileOf = (importer: string, specifier: string): string =>
  specifier.startsWith('.')
    ? path.join(path.dirname(importer), specifier)
    : fileURLToPath(import.meta.resolve(specifier));

function declarationText(name: string, file: string): string {
  const text = findDeclaration(name, file);
  if (text === undefined) throw new Error(`${file} does not declare ${name}`);
  return text;
}

function findDeclaration(name: string, file: string): string | undefined {
  const text = readFileSync(file, 'utf8');
  const { program, comments } = parseSync(file, text);
  for (const statement of program.body) {
    if (statement.type === 'ExportAllDeclaration') {
      const found = findDeclaration(name, fileOf(file, statement.source.value));
      if (found !== undefined) return found;
    }
    if (statement.type !== 'ExportNamedDeclaration' || statement.declaration === null) continue;
    const declaration = statement.declaration as unknown as Declaration;
    const declared = declaration.id?.name ?? declaration.declarations?.[0]?.id.name;
    if (declared !== name) continue;
    const comment = comments.findLast(
      ({ end, type, value }) =>
        type === 'Block' &&
        value.startsWith('*') &&
        end <= statement.start &&
        text.slice(end, statement.start).trim() === '',
    );
    const about = comment === undefined ? '' : `${wordsOf(comment.value)}\n\n`;
    const shape = shapeOf(declaration, text);
    // Names that are the keys of a table say nothing without it.
    const [, table] = /^type \w+ = keyof typeof (\w+);$/.exec(shape) ?? [];
    const source = table === undefined ? '' : `\n\n${constantIn(text, table)}`;
    return `### ${name}\n\n${about}\`\`\`ts\n${shape}${source}\n\`\`\`\n`;
  }
  return undefined;
}

function constantIn(text: string, name: string): string {
  const found = parseSync('constant.ts', text).program.body.find(
    (statement) =>
      statement.type === 'VariableDeclaration' &&
      (statement as unknown as Declaration).declarations?.[0]?.id.name === name,
  );
  return found === undefined ? '' : text.slice(found.start, found.end);
}

/** The declaration without what only the machine needs: bodies of functions and constructors. */
function shapeOf(declaration: Declaration, text: string): string {
  const { type, start, end, body } = declaration;
  if (type === 'FunctionDeclaration' && body !== undefined) return `${text.slice(start, body.start).trim()};`;
  if (type !== 'ClassDeclaration' || body?.body === undefined) return text.slice(start, end);
  let shape = '';
  let at = start;
  for (const member of body.body) {
    const inner = member.value?.body;
    if (member.type !== 'MethodDefinition' || inner === undefined || inner === null) continue;
    shape += `${text.slice(at, inner.start).trimEnd()};`;
    at = inner.end;
  }
  return shape + text.slice(at, end);
}

function wordsOf(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*+ ?/, '').trim())
    .join('\n')
    .trim();
}

if (import.meta.main) {
  for (const [page, plan] of Object.entries(SDK_PAGES)) writeFileSync(page, sdkPage(plan));
}
