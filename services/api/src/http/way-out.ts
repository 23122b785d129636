// Sentences of refusals that come before a handler, or that say more than the catalogue once the field is known.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { FastifyRequest } from 'fastify';
import { shown } from '../body/field-sentence.ts';
import type { Route } from '../routes/route.ts';

const DOLLARS = 'is a positive number of dollars with at most 18 decimal places, such as 12.50.';
const UNITS =
  'is a whole number of the token’s smallest unit as text, such as "1500000" for 1.50 USDC; send dollars as';

const BY_PARAM: Readonly<Record<string, string>> = {
  'invalid_amount usdAmount': `The field usdAmount ${DOLLARS}`,
  'invalid_amount amountUsd': `The field amountUsd ${DOLLARS}`,
  'invalid_amount amount': `The field amount ${UNITS} usdAmount.`,
  'malformed_request paymentIntentId': 'The field paymentIntentId is missing; send the id of the intent, pi_….',
  'invalid_amount settledAmountUsd': `The field settledAmountUsd ${DOLLARS}`,
  'invalid_amount settledAmount': `The field settledAmount ${UNITS} settledAmountUsd.`,
};

/** Undefined: the catalogue's sentence says it all. */
export function sentenceByParam(code: ErrorCode, param: string | null | undefined): string | undefined {
  const name = `${code} ${param ?? ''}`;
  return Object.hasOwn(BY_PARAM, name) ? BY_PARAM[name] : undefined;
}

const KEY_BEGINS = /^[ps]k_(?:test|live)_/;

/** Says what is wrong with a key by its form alone: nothing here depends on whether a key exists. */
export function keySentence({ headers }: FastifyRequest, code: ErrorCode): string | undefined {
  const { authorization, origin } = headers;
  if (code === 'origin_not_allowed' && origin !== undefined)
    return `Add the origin ${shown(origin)} to the origins of your account, or use another key.`;
  if (code === 'key_missing' && headers['x-api-key'] !== undefined)
    return 'Send the API key as "Authorization: Bearer <key>"; x-api-key is not read.';
  if (code !== 'key_invalid' || authorization === undefined) return undefined;
  const [, given = ''] = /^bearer +(.*)$/i.exec(authorization) ?? [];
  if (given === '') return 'Put "Bearer " before the API key: "Authorization: Bearer <key>".';
  if (!KEY_BEGINS.test(given))
    return 'This is no API key: one begins with pk_test_, pk_live_, sk_test_ or sk_live_. Send yours, copied whole.';
  if (given.includes('…') || given.includes('...') || given.includes('<'))
    return 'This is the example of a key; put your own API key in its place.';
  return undefined;
}

/** For a path that no route has. Compares whole segments, which is cheap enough for anybody to ask for. */
export function createUnknownRoute(routes: readonly Route[]): (method: string, path: string) => string {
  const known = routes.map(({ method, path }) => ({ method, path, segments: segmentsOf(path) }));
  return (method, path) => {
    const given = segmentsOf(path);
    const ranked = known
      .map((route) => ({ ...route, alike: likeness(given, route.segments) + (route.method === method ? 0.01 : 0) }))
      .sort((one, other) => other.alike - one.alike);
    const [nearest] = ranked;
    const meant =
      nearest !== undefined && nearest.alike >= 0.5 ? `; did you mean ${nearest.method} ${nearest.path}?` : '.';
    return `The path ${shown(path)} is no route of this API${meant} GET /reference lists every route.`;
  };
}

const MAX_SEGMENTS = 12;
/** In most paths, so they tell nothing. */
const COMMON: ReadonlySet<string> = new Set(['', 'sdk', 'public']);

/** Words of a path without their plural. */
const segmentsOf = (path: string) =>
  path
    .toLowerCase()
    .split(/[/-]/, MAX_SEGMENTS)
    .filter((segment) => !COMMON.has(segment))
    .map((segment) => segment.replace(/s$/, ''));

/** Shared segments in proportion to all of both. */
function likeness(given: readonly string[], known: readonly string[]): number {
  const shared = given.filter((segment) => known.includes(segment)).length;
  return given.length === 0 ? 0 : (2 * shared) / (given.length + known.length);
}

export const methodSentence = (given: string, allowed: readonly string[]) =>
  `This path does not take ${shown(given)}; use ${allowed.join(' or ')}.`;
