// Headers as servers hand them over: an object with `get` (fetch) or a record (Node, Express, Fastify, Lambda).

export type DeliveryHeaders =
  | { readonly get: (name: string) => string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The header of a lower-case name. When a record spells it in several ways, all of them, which no verifier takes. */
export function headerOf(headers: DeliveryHeaders, name: string): unknown {
  if (isGetter(headers)) return headers.get(name);
  if (Object.hasOwn(headers, name)) return headers[name];
  const found = Object.keys(headers).filter((key) => key.toLowerCase() === name);
  return found.length <= 1 ? headers[found[0] ?? name] : found.map((key) => headers[key]);
}

function isGetter(headers: DeliveryHeaders): headers is { readonly get: (name: string) => string | null | undefined } {
  return typeof headers.get === 'function';
}
