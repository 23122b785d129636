// The document and its rendered page, as routes that describe themselves too.
import * as z from 'zod/mini';
import type { OpenRoute, Route } from '../routes/route.ts';
import { buildDocument } from './build-document.ts';
import { renderReference } from './render-reference.ts';

/** No script and nothing from elsewhere: the page works offline and can't be turned against this origin. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'public, max-age=300',
};
const JSON_HEADERS = { 'cache-control': 'public, max-age=300' };

/** All routes that were given, and the two that describe them and themselves. */
export function withDocs(served: readonly Route[]): readonly Route[] {
  let made: { readonly json: string; readonly page: string } | undefined;
  const make = () => {
    if (made !== undefined) return made;
    const document = buildDocument(routes);
    made = { json: JSON.stringify(document), page: renderReference(document) };
    return made;
  };
  const routes: readonly Route[] = [...served, openapiRoute(() => make().json), referenceRoute(() => make().page)];
  return routes;
}

const answer = (headers: Readonly<Record<string, string>>, body: string) =>
  ({ ok: true, replayed: false, answer: { status: 200, headers, body } }) as const;

function openapiRoute(json: () => string): OpenRoute {
  return {
    operationId: 'openapi',
    method: 'GET',
    path: '/openapi.json',
    access: 'open',
    summary: 'This document',
    description: 'OpenAPI 3.1, made from the schemas that validate requests.',
    responses: {
      200: { description: 'The document', schema: { name: 'OpenapiDocument', schema: z.looseObject({}) } },
    },
    refusals: [],
    handle: () => answer(JSON_HEADERS, json()),
  };
}

function referenceRoute(page: () => string): OpenRoute {
  return {
    operationId: 'reference',
    method: 'GET',
    path: '/reference',
    access: 'open',
    summary: 'The reference as a page',
    description: 'The same document for reading, with every error code. Needs no script and no other server.',
    responses: { 200: { description: 'The page', contentType: 'text/html' } },
    refusals: [],
    handle: () => answer(PAGE_HEADERS, page()),
  };
}
