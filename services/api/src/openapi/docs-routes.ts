// Routes that say where things are: the root, the OpenAPI document, its page, and the error codes. The document describes them
// as well.
import * as z from 'zod/mini';
import { prefersPage } from '../http/prefers-page.ts';
import type { OpenRoute, Route } from '../routes/route.ts';
import { buildDocument } from './build-document.ts';
import { PLAIN_HEADERS, placesBody, REFERENCE_HEADERS, renderErrors, renderPlaces, renderReference } from './pages.ts';

const JSON_HEADERS = { 'cache-control': 'public, max-age=300' };

const places = z.object({
  name: z.string(),
  apiVersion: z.string(),
  apiReference: z.string(),
  errors: z.string(),
  openapi: z.string(),
  health: z.string(),
  ready: z.string(),
});

/** Returns the given routes plus those of the documentation. */
export function withDocs(served: readonly Route[]): readonly Route[] {
  const documents = new Map<string, string>();
  const documentFor = (serverUrl: string) => {
    const known = documents.get(serverUrl) ?? JSON.stringify(buildDocument(routes, serverUrl));
    documents.set(serverUrl, known);
    return known;
  };
  const routes: readonly Route[] = [
    ...served,
    rootRoute,
    openapiRoute(documentFor),
    pageRoute('reference', '/reference', 'The reference as a page', REFERENCE_HEADERS, renderReference()),
    pageRoute('errors', '/reference/errors', 'Every error code as a page', PLAIN_HEADERS, renderErrors()),
  ];
  return routes;
}

const answer = (headers: Readonly<Record<string, string>>, body: string) =>
  ({ ok: true, replayed: false, answer: { status: 200, headers, body } }) as const;

const rootRoute: OpenRoute = {
  operationId: 'root',
  method: 'GET',
  path: '/',
  access: 'open',
  summary: 'Where things are',
  description: 'Addresses of the reference, the error codes and the OpenAPI document; for browsers as a page.',
  responses: { 200: { description: 'Addresses', schema: { name: 'Places', schema: places } } },
  refusals: [],
  // Addresses without a host where none is configured: the host of a request is anybody's, and caches keep the answer.
  handle: ({ ports }, { accept }) =>
    prefersPage(accept)
      ? answer({ ...PLAIN_HEADERS, vary: 'Accept' }, renderPlaces())
      : answer({ ...JSON_HEADERS, vary: 'Accept' }, JSON.stringify(placesBody(ports.facilitatorUrl ?? ''))),
};

function openapiRoute(documentFor: (serverUrl: string) => string): OpenRoute {
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
    // Not the host of the request, which anybody can name: a cache would hand it to others.
    handle: ({ ports }) => answer(JSON_HEADERS, documentFor(ports.facilitatorUrl ?? '/')),
  };
}

function pageRoute(
  operationId: string,
  path: string,
  summary: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): OpenRoute {
  return {
    operationId,
    method: 'GET',
    path,
    access: 'open',
    summary,
    description: 'For reading in a browser. It asks no other server for anything.',
    responses: { 200: { description: 'The page', contentType: 'text/html' } },
    refusals: [],
    handle: () => answer(headers, body),
  };
}
