// Sentences about a field of a request: what it must be, or which one was meant.
import { nearestName } from '@svc-pay/protocol/errors';
import type * as z from 'zod/mini';

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'a JSON array',
};
const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'a time in ISO 8601 with Z, such as 2026-11-15T12:00:00Z',
};
const MAX_SHOWN = 40;

/** Names of a schema's fields; undefined if it takes any. */
export function fieldNamesOf(schema: z.ZodMiniType): readonly string[] | undefined {
  const def = schema.def as { readonly type: string; readonly shape?: object; readonly catchall?: unknown };
  return def.type === 'object' && def.shape !== undefined && def.catchall === undefined
    ? Object.keys(def.shape)
    : undefined;
}

/** The first field of the body that the schema does not have. */
export function unknownFieldIn(names: readonly string[], body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  return Object.keys(body).find((name) => !names.includes(name));
}

/** `place`: what the field is of, such as "request". */
export function unknownFieldSentence(field: string, names: readonly string[], kind = 'field'): string {
  const meant = nearestName(field, names);
  const taken = names.length === 0 ? `Send no ${kind}s here.` : `The ${kind}s are ${names.join(', ')}.`;
  return `There is no ${kind} ${shown(field)} here${meant === undefined ? '' : `; did you mean ${meant}`}${meant === undefined ? '.' : '?'} ${taken}`;
}

/** What the first issue asks for. */
export function issueSentence(issue: z.core.$ZodIssue, body: unknown): string {
  if (issue.path.length === 0) return 'Send a JSON object as the body.';
  const name = shown(issue.path.join('.'));
  if (valueAt(body, issue.path) === undefined) return `The field ${name} is missing; it is ${wordsOf(issue)}.`;
  return `The field ${name} must be ${wordsOf(issue)}.`;
}

function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return TYPE_WORDS[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value')
    return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small') return `at least ${String(issue.minimum)}${lengthOf(issue.origin)}`;
  if (issue.code === 'too_big') return `at most ${String(issue.maximum)}${lengthOf(issue.origin)}`;
  if (issue.code === 'invalid_format' && FORMATS[issue.format] !== undefined) return FORMATS[issue.format] ?? '';
  if (issue.code !== 'invalid_union') return 'of the form that the reference shows';
  const words = issue.errors.flatMap(([first]) => (first === undefined ? [] : [wordsOf(first)]));
  return [...new Set(words)].join(' or ');
}

const lengthOf = (origin: string) => (origin === 'array' || origin === 'string' ? ' long' : '');

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[name] : undefined,
    body,
  );
}

/** A name of the client's in quotes, in one line and not long. */
export function shown(name: string): string {
  const text = JSON.stringify(name.slice(0, MAX_SHOWN)).slice(1, -1);
  return `"${text}${name.length > MAX_SHOWN ? '…' : ''}"`;
}
