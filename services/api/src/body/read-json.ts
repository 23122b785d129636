// Parses JSON without rounding dollars: a JSON number would pass through a double and could become another amount, so
// fields that hold dollars are returned as the text in the body.

const DOLLAR_FIELDS: ReadonlySet<string> = new Set(['usdAmount', 'amountUsd', 'settledAmountUsd']);

/** Deeper than any valid body. Limits the recursion in JSON.stringify and Postgres, whose stacks are finite. */
const MAX_DEPTH = 64;

export type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: 'invalid_json' | 'malformed_request' };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined for an empty body. Never throws. */
export function readJson(bytes: Uint8Array): ReadJson {
  if (bytes.length === 0) return { ok: true, value: undefined };
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { ok: false, code: 'invalid_json' };
  }
  if (isTooDeep(text)) return { ok: false, code: 'malformed_request' };
  try {
    return { ok: true, value: parseExact(text) };
  } catch {
    return { ok: false, code: 'invalid_json' };
  }
}

type ReviverContext = { readonly source?: string };
type Reviver = (this: unknown, key: string, value: unknown, context: ReviverContext) => unknown;

function parseExact(text: string): unknown {
  // A reviver visits every value. Most bodies do not need it: no dollars as a number, and no `__proto__`.
  const plain: unknown = JSON.parse(text);
  return hasNumberOfDollars(plain) || text.includes('__proto__') || text.includes('\\u')
    ? parseWithSources(text)
    : plain;
}

function hasNumberOfDollars(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  for (const name of DOLLAR_FIELDS) if (typeof (value as Record<string, unknown>)[name] === 'number') return true;
  return false;
}

function parseWithSources(text: string): unknown {
  // Only dollars at the root become text; nested objects (metadata) belong to the merchant and stay unchanged.
  const dollars = new Map<unknown, Record<string, string>>();
  const reviver: Reviver = function (key, value, { source }) {
    // A `__proto__` key assigned to a plain object would be lost or replace its prototype.
    if (key === '__proto__') return undefined;
    if (typeof value === 'number' && source !== undefined && DOLLAR_FIELDS.has(key)) {
      dollars.set(this, { ...dollars.get(this), [key]: source });
    }
    return value;
  };
  const root: unknown = JSON.parse(text, reviver as (this: unknown, key: string, value: unknown) => unknown);
  const texts = dollars.get(root);
  return texts === undefined ? root : Object.assign(root as object, texts);
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (quoted) {
      if (character === BACKSLASH) at += 1;
      else if (character === QUOTE) quoted = false;
    } else if (character === QUOTE) quoted = true;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth -= 1;
  }
  return false;
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [34, 92, 123, 125, 91, 93];
