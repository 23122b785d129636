// Rules that the syntax tree decides. Names are read word by word (`feeBps` is fee and bps, `feedbackCount` is neither), so
// that a rule about amounts or secrets does not depend on how a line is spelled. Types hold the rest: a bigint and a number
// do not mix, and the linter allows no `any`.
import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { codeOf, isTest, type SourceTree } from './source-tree.ts';

type Node = { readonly type: string; readonly start: number; readonly end: number };

const MONEY_WORDS = new Set(
  ['amount', 'atomic', 'micros', 'usd', 'cents', 'cap', 'fee', 'price', 'refund', 'balance', 'cost'].flatMap((word) => [
    word,
    `${word}s`,
  ]),
);
const SECRET_WORDS = new Set(['secret', 'signature', 'hmac', 'mac', 'pepper', 'password', 'bearer']);
const FLOAT_MAKERS = new Set(['Number', 'parseFloat', 'parseInt', 'Number.parseFloat', 'Number.parseInt']);
const FLOAT_PRINTS = new Set(['toFixed', 'toPrecision', 'toExponential']);
const ARITHMETIC = new Set(['+', '-', '*', '/', '%', '**']);
/** Where amounts are divided: the rounding is named, or the remainder is known. */
const DIVIDING = new Set(['packages/money/src/decimal.ts', 'packages/money/src/rounding.ts']);
/** The one place where a number becomes an amount, by the text that JSON has of it. */
const NUMBERS_ENTER = 'packages/money/src/usd-micros.ts';

export function brokenCodeRules(tree: SourceTree): string[] {
  return [...codeOf(tree)].flatMap(([file, text]) => brokenIn(file, text));
}

function brokenIn(file: string, text: string): string[] {
  const broken: string[] = [];
  const shipped = !isTest(file) && !file.startsWith('tools/');
  const money = shipped && file.startsWith('packages/money/src/');
  const source = (node: Node) => text.slice(node.start, node.end);
  const report = (node: Node, rule: string) => {
    const line = text.slice(0, node.start).split('\n').length;
    broken.push(`${file}:${line} ${rule}: ${source(node)}`);
  };
  const is = (name: string) =>
    path.posix.basename(file) === name || path.posix.basename(file) === name.replace('.', '.test.');
  const environment = (node: Node) => {
    if (!is('config.ts')) report(node, 'process.env belongs in config.ts');
  };
  const clock = (node: Node) => {
    if (!is('clock.ts') && !isTest(file)) report(node, 'the clock belongs in clock.ts');
  };
  const pool = (node: Node) => {
    if (shipped && file.startsWith('services/'))
      report(node, 'a service holds no pool: packages/postgres gives it stores');
  };
  const float = (node: Node) => report(node, 'no floats near amounts');
  const isAmount = (node: Node) => wordsOf(lastNameIn(source(node))).some((word) => MONEY_WORDS.has(word));
  const namesAmount = (node: Node) =>
    namesIn(source(node)).some((name) => wordsOf(name).some((w) => MONEY_WORDS.has(w)));
  const isSecret = (node: Node) => SECRET_WORDS.has(wordsOf(lastNameIn(source(node))).at(-1) ?? '');

  new Visitor({
    MemberExpression(node) {
      const name = source(node).replace(/\?\.|\[['"`](\w+)['"`]\]/g, (_, key?: string) => `.${key ?? ''}`);
      if (name === 'process.env') environment(node);
      if (name === 'performance.timeOrigin') clock(node);
      if (name === 'database.pool') pool(node);
    },
    VariableDeclarator(node) {
      const taken = node.id.type === 'ObjectPattern' ? node.id.properties : [];
      const from = node.init === null ? '' : source(node.init);
      const takes = (name: string) => taken.some((one) => one.type === 'Property' && source(one.key) === name);
      if (from === 'process' && takes('env')) environment(node);
      if (from === 'Date' && takes('now')) clock(node);
      if (from === 'database' && takes('pool')) pool(node);
      if (shipped && FLOAT_MAKERS.has(from)) float(node);
    },
    ImportDeclaration(node) {
      const taken = node.specifiers.map((one) => (one.type === 'ImportSpecifier' ? source(one.imported) : 'all of it'));
      const from = node.source.value;
      if ((from === 'process' || from === 'node:process') && taken.some((name) => name !== 'stdin')) environment(node);
    },
    CallExpression(node) {
      const callee = source(node.callee);
      const [argument] = node.arguments;
      if (callee === 'Date.now' || callee === 'Date') clock(node);
      const method = /\.(\w+)$/.exec(callee)?.[1] ?? '';
      const printed = node.callee.type === 'MemberExpression' ? node.callee.object : undefined;
      if (!shipped) return;
      if (FLOAT_MAKERS.has(callee) && (money || (argument !== undefined && isAmount(argument)))) float(node);
      else if (FLOAT_PRINTS.has(method) && printed !== undefined && (money || namesAmount(printed))) float(node);
      else if (callee.startsWith('Math.') && (money || node.arguments.some(isAmount))) float(node);
    },
    NewExpression(node) {
      if (source(node.callee) === 'Date' && node.arguments.length === 0) clock(node);
      if (money && /^(?:Big)?Float/.test(source(node.callee))) float(node);
    },
    UnaryExpression(node) {
      if (shipped && node.operator === '+' && (money || isAmount(node.argument))) float(node);
    },
    Literal(node) {
      if (money && typeof node.value === 'number' && /[.e]/i.test(source(node).replace(/^0x.*/i, ''))) float(node);
    },
    TSAsExpression(node) {
      if (money && source(node.typeAnnotation) === 'number' && file !== NUMBERS_ENTER) float(node);
    },
    BinaryExpression(node) {
      const sides = [node.left, node.right];
      const number = sides.some((side) => side.type === 'Literal' && typeof side.value === 'number');
      if (shipped && ARITHMETIC.has(node.operator) && number && sides.some(isAmount)) float(node);
      if (money && node.operator === '/' && !DIVIDING.has(file)) report(node, 'amounts are divided in rounding.ts');
      if (!shipped || !/^[!=]==$/.test(node.operator) || !sides.some(isSecret)) return;
      const plain = sides.some((side) => side.type === 'Literal' || source(side) === 'undefined');
      if (!plain) report(node, 'secrets are compared in constant time');
    },
  }).visit(parseSync(file, text).program);
  return broken;
}

/** `validBeforeSeconds` and `VALID_BEFORE`: valid, before, seconds. */
const wordsOf = (name: string) =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_$]+/);

const namesIn = (expression: string) => expression.match(/[A-Za-z_$][\w$]*/g) ?? [];

/** Of `intent.amount ?? x` and `fee(a, b)`: the name that stands for the whole, or nothing when there is no such name. */
function lastNameIn(expression: string): string {
  const [, name = ''] = /^(?:await\s+)?[\w$.?[\]!']*?([A-Za-z_$][\w$]*)!?(?:\(.*\))?$/s.exec(expression) ?? [];
  return name;
}
