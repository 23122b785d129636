// Rules that one look at the syntax decides.
import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { codeOf, isTest, type SourceTree } from './source-tree.ts';

type Node = { readonly type: string; readonly start: number; readonly end: number };

const MONEY_WORDS = /amount|atomic|micros|usd|cap\b|fee|bps|price|settled|refund|balance|cost/i;
const SECRET_WORDS = /secret|signature|hmac|pepper|password|bearer/i;
const FLOAT_MAKERS = new Set(['Number', 'parseFloat', 'Number.parseFloat', 'Number.parseInt', 'parseInt']);

export function brokenCodeRules(tree: SourceTree): string[] {
  return [...codeOf(tree)].flatMap(([file, text]) => brokenIn(file, text));
}

function brokenIn(file: string, text: string): string[] {
  const broken: string[] = [];
  const shipped = !isTest(file) && !file.startsWith('tools/');
  const source = (node: Node) => text.slice(node.start, node.end);
  const report = (node: Node, rule: string) => {
    const line = text.slice(0, node.start).split('\n').length;
    broken.push(`${file}:${line} ${rule}: ${source(node)}`);
  };
  const is = (name: string) =>
    path.posix.basename(file) === name || path.posix.basename(file) === name.replace('.', '.test.');

  new Visitor({
    MemberExpression(node) {
      if (/^process\.env$/.test(source(node)) && !is('config.ts')) report(node, 'process.env belongs in config.ts');
    },
    CallExpression(node) {
      const callee = source(node.callee);
      const argument = node.arguments[0] === undefined ? '' : source(node.arguments[0]);
      if (callee === 'Date.now' && !is('clock.ts') && !isTest(file)) report(node, 'the clock belongs in clock.ts');
      if (shipped && FLOAT_MAKERS.has(callee) && MONEY_WORDS.test(argument)) report(node, 'no floats near amounts');
      if (shipped && callee.endsWith('.toFixed') && MONEY_WORDS.test(callee)) report(node, 'no floats near amounts');
      if (shipped && callee.startsWith('Math.') && MONEY_WORDS.test(source(node)))
        report(node, 'no floats near amounts');
    },
    NewExpression(node) {
      if (source(node) === 'new Date()' && !is('clock.ts') && !isTest(file))
        report(node, 'the clock belongs in clock.ts');
    },
    UnaryExpression(node) {
      if (shipped && node.operator === '+' && MONEY_WORDS.test(source(node.argument)))
        report(node, 'no floats near amounts');
    },
    BinaryExpression(node) {
      const [left, right] = [source(node.left), source(node.right)];
      const plain = [node.left, node.right].some((side) => side.type === 'Literal' || source(side) === 'undefined');
      const secret = SECRET_WORDS.test(left) || SECRET_WORDS.test(right);
      const measured = /\.(?:length|byteLength)$/.test(left) || left.startsWith('typeof ');
      if (shipped && /^[!=]==$/.test(node.operator) && secret && !plain && !measured) {
        report(node, 'secrets are compared in constant time');
      }
    },
  }).visit(parseSync(file, text).program);
  return broken;
}
