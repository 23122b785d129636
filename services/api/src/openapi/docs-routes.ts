// Routes that serve the OpenAPI document and its rendered page. The document describes these two as well.
import * as z from 'zod/mini';
import type { OpenRoute, Route } from '../routes/route.ts';
import { buildDocument } from './build-document.ts';
import { renderReference } from './render-reference.ts';

/** The page loads no script and nothing external: it works offline and cannot be used to attack this origin. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'public, max-age=300',
};
const JSON_HEADERS = { 'cache-control': 'public, max-age=300' };

/** Returns the given routes plus the two documentation routes. */
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
