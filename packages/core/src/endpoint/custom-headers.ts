// Headers that a merchant wants on every delivery. Refused: headers that frame or route the message, or look like ours.

export type CustomHeaders = Readonly<Record<string, string>>;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,2048}$/;
const RESERVED = /^(?:host|date|expect|user-agent|content-.*|x-svc-.*|webhook-.*|accept-encoding)$/i;
const HOP_BY_HOP =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings|via|forwarded)$/i;
const MAX_HEADERS = 20;

/** The first name that can't be sent, or `null` when all of them can. */
export function customHeaderProblem(headers: CustomHeaders): string | null {
  const entries = Object.entries(headers);
  const names = entries.map(([name]) => name.toLowerCase());
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) return repeated;
  if (entries.length > MAX_HEADERS) return entries[MAX_HEADERS]?.[0] ?? null;
  const bad = entries.find(
    ([name, value]) => !TOKEN.test(name) || RESERVED.test(name) || HOP_BY_HOP.test(name) || !VALUE.test(value),
  );
  return bad?.[0] ?? null;
}

/** Reads opened ciphertext. Undefined when `customHeaderProblem` refuses the headers. */
export function readCustomHeaders(json: string): CustomHeaders | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value);
    if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')) return undefined;
    const headers: CustomHeaders = Object.fromEntries(entries);
    return customHeaderProblem(headers) === null ? headers : undefined;
  } catch {
    return undefined;
  }
}
