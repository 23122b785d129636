// Which licences a production dependency may carry. A new one is a decision, written here and in docs/decisions/0006.

const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Unlicense',
]);

/**
 * Whether an SPDX expression grants what we need: one side of an OR, both sides of an AND.
 * A WITH exception only adds permissions, so the licence before it decides. What cannot be read is not allowed.
 */
export function isAllowed(expression: string): boolean {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  let readable = tokens.length > 0;

  function anyOf(): boolean {
    let allowed = allOf();
    while (tokens[at] === 'OR') {
      at += 1;
      // Not `||` around the call: the right side must be read even when the left one is enough.
      const right = allOf();
      allowed ||= right;
    }
    return allowed;
  }

  function allOf(): boolean {
    let allowed = one();
    while (tokens[at] === 'AND') {
      at += 1;
      const right = one();
      allowed &&= right;
    }
    return allowed;
  }

  function one(): boolean {
    const token = tokens[at];
    at += 1;
    if (token === '(') {
      const inner = anyOf();
      if (tokens[at] !== ')') readable = false;
      at += 1;
      return inner;
    }
    if (token === undefined || /^(?:\)|OR|AND|WITH)$/.test(token)) {
      readable = false;
      return false;
    }
    if (tokens[at] === 'WITH') {
      if (tokens[at + 1] === undefined) readable = false;
      at += 2;
    }
    return ALLOWED.has(token.replace(/\+$/, ''));
  }

  const allowed = anyOf();
  return readable && at === tokens.length && allowed;
}

/** The licences an expression names that we may use, in its order. */
export function allowedIds(expression: string): string[] {
  return (expression.match(/[^\s()]+/g) ?? []).filter((id) => ALLOWED.has(id));
}
