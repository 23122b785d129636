// A status of a state machine is written as a literal only at its noun, in core and in postgres. Everywhere else it is a
// name of the machine's table, so that a status that is renamed or no longer exists does not compile.
import { STATE_MACHINES, statusesIn, type Transitions } from '@svc-pay/core';
import { parseSync, Visitor } from 'oxc-parser';
import { codeOf, isTest, type SourceTree } from './source-tree.ts';
import { HOLE, wordsBesideStatus } from './sql-statuses.ts';

/** The folder of core and of postgres in which a machine's statuses are literals. */
const NOUNS: Readonly<Record<keyof typeof STATE_MACHINES, string>> = {
  account: 'account',
  payout: 'payout',
  intent: 'intent',
  payment: 'payment',
  settlement: 'settlement',
  refund: 'refund',
  batch: 'lane',
  relayer: 'lane',
  stranded: 'stranded',
  endpoint: 'endpoint',
  delivery: 'delivery',
  event_replay: 'delivery',
};

const COVERED = /^(?:packages\/(?:core|postgres|chains\/\w+)|services\/\w+|cli|sandbox)\/src\//;
/** Elsewhere a plain argument is too often a word of another vocabulary, such as a block tag. */
const ARGUMENTS_COVERED = /^packages\/(?:core|postgres)\/src\//;
/** Words of other vocabularies that some machine has too, with what they are. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  'packages/core/src/settlement/settle-status.ts': 'statuses of a settle answer, as the wire has them',
  'packages/core/src/x402/': 'statuses of a settle answer, as the wire has them',
  'packages/core/src/stranded/watch-held.ts': 'names of a job',
  'services/api/src/buyer/answer-payment.ts': 'statuses of a settle answer, as the wire has them',
  'services/api/src/routes/pay-intent.ts': 'statuses of a settle answer, as the wire has them',
  'services/api/src/openapi/texts/': 'examples of the wire',
  'cli/src/rehearse/': 'a client of the API: statuses of the wire',
  'sandbox/src/check/': 'a client of the API: statuses of the wire',
  'sandbox/src/local/check.ts': 'a client of the API: statuses of the wire',
  'sandbox/src/local/pay-as-client.ts': 'a client of the API: statuses of the wire',
  'sandbox/src/page/': 'a page in the browser: statuses of the wire',
  'sandbox/src/watch/overview.ts': 'what a page in the browser shows',
  'sandbox/src/shop/': 'orders of the example shop',
};

type Node = { readonly type: string; readonly start: number; readonly end: number };
type Machine = { readonly statuses: ReadonlySet<string>; readonly folders: readonly string[] };

const MACHINES: readonly Machine[] = Object.entries<Transitions<string>>(STATE_MACHINES).map(([name, table]) => {
  const noun = NOUNS[name as keyof typeof NOUNS];
  return {
    statuses: new Set(statusesIn(table)),
    folders: [`packages/core/src/${noun}/`, `packages/postgres/src/${noun}/`],
  };
});
const isStatus = (text: string) => MACHINES.some(({ statuses }) => statuses.has(text));
const areOfOne = (texts: readonly string[]) =>
  MACHINES.some(({ statuses }) => texts.every((text) => statuses.has(text)));
const isAtItsNoun = (file: string, text: string) =>
  MACHINES.some(({ statuses, folders }) => statuses.has(text) && folders.some((folder) => file.startsWith(folder)));

export function strayStatusLiterals(tree: SourceTree): string[] {
  return [...codeOf(tree)]
    .filter(([file]) => COVERED.test(file) && !isTest(file))
    .filter(([file]) => !Object.keys(OTHER_WORDS).some((path) => file.startsWith(path)))
    .flatMap(([file, text]) => strayIn(file, text));
}

/** `status`, `batchStatus`, `intent_status` and `settlement`, which some rows call the status of their settlement. */
const NAMES_STATUS = /^(?:status|settlement|progress)$|Status$|_status$/;
/** A move of a row names its statuses so. */
const NAMES_MOVE = /^(?:from|to)$/;

function strayIn(file: string, text: string): string[] {
  const stray = new Map<number, ReadonlySet<string>>();
  const source = (node: Node) => text.slice(node.start, node.end);
  const report = (at: number, statuses: readonly string[]) => {
    const outside = statuses.filter((status) => isStatus(status) && !isAtItsNoun(file, status));
    if (outside.length === 0) return;
    const line = text.slice(0, at).split('\n').length;
    stray.set(line, new Set([...(stray.get(line) ?? []), ...outside]));
  };
  const reportSql = (start: number, sql: string) => {
    for (const { word, index } of wordsBesideStatus(sql)) report(start + index, [word]);
  };
  const namesStatus = (node: Node) => NAMES_STATUS.test(lastName(source(node)));
  const ofOne = (node: Node, texts: readonly (string | undefined)[]) => {
    const strings = texts.filter((one) => one !== undefined);
    if (strings.length > 1 && strings.length === texts.length && areOfOne(strings)) report(node.start, strings);
  };

  new Visitor({
    BinaryExpression(node) {
      if (!/^[!=]==?$/.test(node.operator)) return;
      for (const [one, other] of [
        [node.left, node.right],
        [node.right, node.left],
      ] as const) {
        if (namesStatus(one)) report(other.start, stringsIn(other));
      }
    },
    SwitchStatement(node) {
      if (!namesStatus(node.discriminant)) return;
      for (const { test } of node.cases) if (test !== null) report(test.start, stringsIn(test));
    },
    Property(node) {
      const key = lastName(source(node.key));
      if (NAMES_STATUS.test(key) || NAMES_MOVE.test(key)) report(node.value.start, stringsIn(node.value));
    },
    TSPropertySignature(node) {
      const type = node.typeAnnotation?.typeAnnotation;
      if (type !== undefined && NAMES_STATUS.test(lastName(source(node.key)))) report(type.start, typesIn(type));
    },
    AssignmentExpression(node) {
      if (namesStatus(node.left)) report(node.right.start, stringsIn(node.right));
    },
    VariableDeclarator(node) {
      if (node.init !== null && namesStatus(node.id)) report(node.init.start, stringsIn(node.init));
    },
    ArrayExpression(node) {
      ofOne(
        node,
        node.elements.map((element) => (element?.type === 'Literal' ? String(element.value) : undefined)),
      );
    },
    TSUnionType(node) {
      ofOne(
        node,
        node.types.filter(({ type }) => !/^TS(?:Undefined|Null)Keyword$/.test(type)).map((type) => typesIn(type)[0]),
      );
    },
    CallExpression(node) {
      const { callee } = node;
      // `transition(INTENT_TRANSITIONS, …, 'processing')` names the machine, and its type holds the status.
      const namesMachine = node.arguments.some((argument) => /^[A-Z_]+_TRANSITIONS$/.test(source(argument)));
      if (ARGUMENTS_COVERED.test(file) && !namesMachine) {
        for (const argument of node.arguments)
          if (argument.type === 'Literal') report(argument.start, stringsIn(argument));
      }
      if (callee.type !== 'MemberExpression' || !/\.(?:includes|has|indexOf)$/.test(source(callee))) return;
      if (node.arguments[0] !== undefined && namesStatus(node.arguments[0])) {
        report(callee.object.start, stringsIn(callee.object));
      }
    },
    Literal(node) {
      if (typeof node.value === 'string') reportSql(node.start, source(node));
    },
    TemplateLiteral(node) {
      const ends = node.expressions.map(({ start, end }) => [start - node.start, end - node.start] as const);
      const sql = ends.reduce(
        (left, [from, to]) => `${left.slice(0, from)}${HOLE.repeat(to - from)}${left.slice(to)}`,
        source(node).replaceAll(/\$\{|\}/g, (brace) => HOLE.repeat(brace.length)),
      );
      reportSql(node.start, sql);
      report(node.start, stringsIn(node));
    },
  }).visit(parseSync(file, text).program);
  return [...stray].map(([line, statuses]) => `${file}:${line} writes '${[...statuses].join("', '")}'`);
}

/** The strings that an expression may have as its value. */
function stringsIn(node: Node): readonly string[] {
  switch (node.type) {
    case 'Literal':
      return typeof (node as Literal).value === 'string' ? [(node as Literal).value as string] : [];
    // `'pending'` in quotes of SQL, for the columns of an insert.
    case 'TemplateLiteral':
      return (node as Template).quasis.flatMap(({ value }) => /^'(\w+)'$/.exec(value.raw)?.[1] ?? []);
    case 'ConditionalExpression':
      return [(node as Choice).consequent, (node as Choice).alternate].flatMap(stringsIn);
    case 'LogicalExpression':
      return [(node as Pair).left, (node as Pair).right].flatMap(stringsIn);
    case 'ArrayExpression':
      return (node as List).elements.flatMap((element) => (element === null ? [] : stringsIn(element)));
    case 'NewExpression':
      return (node as Call).arguments.flatMap(stringsIn);
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return stringsIn((node as Wrapped).expression);
    default:
      return [];
  }
}

/** The strings of a type of literals. */
function typesIn(node: Node): readonly string[] {
  switch (node.type) {
    case 'TSLiteralType':
      return stringsIn((node as Typed).literal);
    case 'TSUnionType':
      return (node as Union).types.flatMap(typesIn);
    default:
      return [];
  }
}

type Literal = Node & { readonly value: unknown };
type Template = Node & { readonly quasis: readonly { readonly value: { readonly raw: string } }[] };
type Choice = Node & { readonly consequent: Node; readonly alternate: Node };
type Pair = Node & { readonly left: Node; readonly right: Node };
type List = Node & { readonly elements: readonly (Node | null)[] };
type Call = Node & { readonly arguments: readonly Node[] };
type Wrapped = Node & { readonly expression: Node };
type Typed = Node & { readonly literal: Node };
type Union = Node & { readonly types: readonly Node[] };

/** Of `batch?.status` and `row['status']`: status. */
const lastName = (expression: string) => /([\w$]+)(?:['"]\])?!?$/.exec(expression.trim())?.[1] ?? '';
