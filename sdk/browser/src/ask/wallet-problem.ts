// What a wallet's error means. Wallets agree on 4001 for a person's refusal and on little else; some wrap it, some only
// say it in words.
import { fieldsOf } from '../read/fields.ts';

const REFUSED_CODES: ReadonlySet<unknown> = new Set([4001, '4001', 5000, 'ACTION_REJECTED']);
const REFUSED_WORDS =
  /user (?:has )?(?:rejected|denied|cancel|closed|disapproved)|(?:rejected|denied|cancel\w+) by (?:the )?user|(?:modal|popup|window) (?:was )?closed/i;
const CLOSED_CODES: ReadonlySet<unknown> = new Set([4900]);
const UNKNOWN_CHAIN_CODES: ReadonlySet<unknown> = new Set([4902]);
const UNKNOWN_METHOD_CODES: ReadonlySet<unknown> = new Set([4200, -32_601]);
const UNKNOWN_METHOD_WORDS =
  /(?:method|signTypedData\w*)\b.{0,60}(?:not|un)[ -]?(?:supported|implemented|available|found|exist)|unsupported method|method.{0,60}does(?: not|n.t) exist/i;
/** Said before anything is sent: unauthorized, invalid parameters. */
const UNSENT_CODES: ReadonlySet<unknown> = new Set([4100, -32_602]);
const MAX_DEPTH = 4;

export const isRefusal = (problem: unknown): boolean =>
  layersOf(problem).some(
    ({ code, message }) => REFUSED_CODES.has(code) || (typeof message === 'string' && REFUSED_WORDS.test(message)),
  );

export const isClosed = (problem: unknown): boolean => layersOf(problem).some(({ code }) => CLOSED_CODES.has(code));

/** The wallet has not heard of the chain and could be told about it. */
export const isUnknownChain = (problem: unknown): boolean =>
  layersOf(problem).some(
    ({ code, message }) =>
      UNKNOWN_CHAIN_CODES.has(code) || (typeof message === 'string' && /unrecognized chain/i.test(message)),
  );

/** The wallet does not know the method that it was asked for, so no person has seen the question. */
export const isUnknownMethod = (problem: unknown): boolean =>
  layersOf(problem).some(
    ({ code, message }) =>
      UNKNOWN_METHOD_CODES.has(code) || (typeof message === 'string' && UNKNOWN_METHOD_WORDS.test(message)),
  );

/** The account can't pay the network's fee, so nothing was sent. */
export const isWithoutGas = (problem: unknown): boolean =>
  layersOf(problem).some(({ message }) => typeof message === 'string' && /insufficient funds/i.test(message));

/** A transaction that no wallet has sent, by the wallet's own words. Of any other error it is not known. */
export const isUnsent = (problem: unknown): boolean =>
  isUnknownMethod(problem) ||
  layersOf(problem).some(
    ({ code, message }) =>
      UNSENT_CODES.has(code) || (typeof message === 'string' && /execution reverted/i.test(message)),
  );

type Layer = { readonly code?: unknown; readonly message?: unknown };

/** An error, and the errors it was wrapped around. */
function layersOf(problem: unknown, depth = 0): readonly Layer[] {
  const fields = fieldsOf(problem);
  if (fields === undefined || depth > MAX_DEPTH) return [];
  const { data, cause, info, error, originalError } = fields;
  return [fields, ...[data, cause, info, error, originalError].flatMap((inner) => layersOf(inner, depth + 1))];
}
