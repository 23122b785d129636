// As much of PromQL as it takes to know which metrics and labels an expression names. What it does not understand it
// refuses, so that nothing goes unread.

export type Matcher = { readonly label: string; readonly operator: string; readonly value: string };
export type Selector = { readonly metric: string; readonly matchers: readonly Matcher[]; readonly inside: string };
export type ReadExpression = {
  readonly selectors: readonly Selector[];
  /** Labels that the whole is grouped by or matched on. */
  readonly grouping: readonly string[];
};

const FUNCTIONS = new Set([
  'sum',
  'max',
  'min',
  'avg',
  'count',
  'topk',
  'rate',
  'increase',
  'histogram_quantile',
  'absent',
  'time',
  'clamp_min',
  'avg_over_time',
]);
const WORDS = new Set(['and', 'or', 'unless', 'bool']);
const GROUPINGS = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const TOKEN =
  /\s+|"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[A-Za-z_:][A-Za-z0-9_:]*|\d+(?:\.\d+)?|=~|!~|!=|==|>=|<=|[-+*/%^<>=(){},]/y;

export function readExpression(text: string): ReadExpression {
  const tokens = tokensOf(text);
  const selectors: Selector[] = [];
  const grouping: string[] = [];
  const open: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const [token = '', next] = [tokens[at], tokens[at + 1]];
    if (token === '(') open.push(tokens[at - 1] ?? '');
    if (token === ')') open.pop();
    if (!/^[A-Za-z_:]/.test(token) || WORDS.has(token)) continue;
    if (GROUPINGS.has(token)) {
      const end = tokens.indexOf(')', at);
      grouping.push(...tokens.slice(at + 2, end).filter((name) => name !== ','));
      at = end;
    } else if (next === '(' || next === 'by' || next === 'without') {
      if (!FUNCTIONS.has(token)) throw new Error(`no function that is known here: ${token} in ${text}`);
    } else {
      const end = next === '{' ? tokens.indexOf('}', at) : at;
      const inside = tokens.slice(at + 2, end);
      selectors.push({ metric: token, matchers: matchersOf(inside, text), inside: open.at(-1) ?? '' });
      at = end;
    }
  }
  return { selectors, grouping };
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex;
    const [token] = TOKEN.exec(text) ?? [];
    if (token === undefined) throw new Error(`not understood: ${text.slice(from)}`);
    if (token.trim() !== '') tokens.push(token);
  }
  return tokens;
}

function matchersOf(tokens: readonly string[], text: string): readonly Matcher[] {
  const matchers: Matcher[] = [];
  for (let at = 0; at < tokens.length; at += 4) {
    const [label = '', operator = '', value = '', comma = ','] = tokens.slice(at, at + 4);
    if (comma !== ',' || !value.startsWith('"')) throw new Error(`not a list of matchers: ${text}`);
    matchers.push({ label, operator, value: JSON.parse(value) as string });
  }
  return matchers;
}
