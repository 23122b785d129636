// The rules and the routes ask for no chain family by name: a family differs behind the ports of core, in its own package.
import { parseSync, Visitor } from 'oxc-parser';
import { codeOf, isTest, type SourceTree } from './source-tree.ts';

const NAMELESS = ['packages/core/src/', 'services/api/src/'];

/** Files that name families because they list them. */
const LISTS: ReadonlySet<string> = new Set([
  // Chains, tokens, and kinds of authorizations: data.
  'packages/core/src/token/chain.ts',
  'packages/core/src/token/catalogue.ts',
  'packages/core/src/payment/claim-payment.ts',
  // The operator's settings, and the composition root of the families.
  'services/api/src/config.ts',
  'services/api/src/payment-families.ts',
  // Examples of the reference.
  'services/api/src/openapi/texts/parameter-texts.ts',
  'services/api/src/openapi/texts/payment-texts.ts',
  'services/api/src/openapi/texts/refund-texts.ts',
  'services/api/src/openapi/texts/regular-texts.ts',
]);

/** Ways to ask for the family of a network. */
const QUESTIONS: ReadonlySet<string> = new Set([
  'familyOf',
  'chainIdOf',
  'isEvm',
  'isSolana',
  'isIcp',
  'NetworkFamily',
]);

/** A family, a prefix of network names, a network, or a kind of authorization. */
const NAME = /^(?:evm|eip155|solana|icp)(?:$|[:_])/;

export function namedFamilies(tree: SourceTree): string[] {
  return [...codeOf(tree)].flatMap(([file, text]) => {
    if (isTest(file) || LISTS.has(file) || !NAMELESS.some((folder) => file.startsWith(folder))) return [];
    const found: string[] = [];
    const report = (start: number, name: string) => {
      found.push(`${file}:${text.slice(0, start).split('\n').length} names a chain family: ${name}`);
    };
    new Visitor({
      Identifier(node) {
        if (QUESTIONS.has(node.name)) report(node.start, node.name);
      },
      Literal(node) {
        if (typeof node.value === 'string' && NAME.test(node.value)) report(node.start, node.value);
      },
      TemplateElement(node) {
        if (NAME.test(node.value.raw)) report(node.start, node.value.raw);
      },
    }).visit(parseSync(file, text).program);
    return found;
  });
}
