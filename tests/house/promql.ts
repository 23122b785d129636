// Which metrics and labels a PromQL expression names, and what it compares, by the grammar of the Prometheus project.
// Text that the grammar does not take is refused.
import { parser } from '@prometheus-io/lezer-promql';

/** Positions are those of the expression's text. */
type Place = { readonly from: number; readonly to: number };
export type Matcher = Place & { readonly label: string; readonly operator: string; readonly value: string };
/** The duration of a range selector, without its brackets. */
type Range = Place & { readonly duration: string };
/** `inside` is the function around the selector, or nothing. */
export type Selector = { readonly metric: string; readonly matchers: readonly Matcher[]; readonly inside: string };
/** A comparison, or `absent(…)`: what decides whether a rule fires. */
export type Condition = Place & {
  readonly kind: 'comparison' | 'absent';
  readonly left: string;
  readonly operator: string;
  readonly right: string;
};
export type ReadExpression = {
  readonly selectors: readonly Selector[];
  /** Labels that the whole is grouped by or matched on. */
  readonly grouping: readonly string[];
  readonly conditions: readonly Condition[];
  readonly ranges: readonly Range[];
};

type Node = ReturnType<typeof parser.parse>['topNode'];

const COMPARISONS = ['Eql', 'Neq', 'Gtr', 'Gte', 'Lss', 'Lte'];

export function readExpression(text: string): ReadExpression {
  const textOf = ({ from, to }: Pick<Node, 'from' | 'to'>) => text.slice(from, to);
  const nodes = [...nodesBelow(parser.parse(text).topNode)];
  const broken = nodes.find(({ type }) => type.isError);
  if (broken !== undefined) throw new Error(`not understood at ${broken.from}: ${text}`);
  const named = (name: string) => nodes.filter((node) => node.name === name);
  return {
    selectors: named('VectorSelector').map((node) => readSelector(node, textOf)),
    grouping: named('GroupingLabels').flatMap((node) => node.getChildren('LabelName').map(textOf)),
    conditions: [
      ...named('BinaryExpr').flatMap((node) => readComparison(node, textOf)),
      ...named('FunctionCall')
        .filter((node) => functionOf(node, textOf) === 'absent')
        .map(({ from, to }) => ({ kind: 'absent' as const, from, to, left: '', operator: '', right: '' })),
    ],
    ranges: named('MatrixSelector').map((node) => readRange(node, textOf)),
  };
}

function* nodesBelow(node: Node): Generator<Node> {
  yield node;
  for (let child = node.firstChild; child !== null; child = child.nextSibling) yield* nodesBelow(child);
}

type TextOf = (node: Pick<Node, 'from' | 'to'>) => string;

function readSelector(node: Node, textOf: TextOf): Selector {
  const name = node.getChild('Identifier');
  if (name === null) throw new Error(`a selector names no metric: ${textOf(node)}`);
  const list = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  const matchers = list.map((matcher) => {
    const part = (kind: string) => matcher.getChild(kind) ?? matcher;
    const value = JSON.parse(textOf(part('StringLiteral'))) as string;
    const { from, to } = matcher;
    return { label: textOf(part('LabelName')), operator: textOf(part('MatchOp')), value, from, to };
  });
  return { metric: textOf(name), matchers, inside: enclosingFunction(node, textOf) };
}

function readRange(node: Node, textOf: TextOf): Range {
  const duration = node.getChild('DurationExpr');
  if (duration === null) throw new Error(`a range without a duration: ${textOf(node)}`);
  return { duration: textOf(duration), from: duration.from, to: duration.to };
}

function enclosingFunction(node: Node, textOf: TextOf): string {
  for (let outer = node.parent; outer !== null; outer = outer.parent) {
    if (outer.name === 'FunctionCall') return functionOf(outer, textOf);
    if (outer.name === 'AggregateExpr' || outer.name === 'BinaryExpr') return '';
  }
  return '';
}

const functionOf = (call: Node, textOf: TextOf): string => textOf(call.getChild('FunctionIdentifier') ?? call);

function readComparison(node: Node, textOf: TextOf): readonly Condition[] {
  const [operator] = COMPARISONS.flatMap((kind) => node.getChildren(kind));
  const { firstChild: left, lastChild: right, from, to } = node;
  if (operator === undefined || left === null || right === null) return [];
  const texts = { left: textOf(left), operator: textOf(operator), right: textOf(right) };
  return [{ kind: 'comparison', from, to, ...texts }];
}
