// Builds the OpenAPI 3.1 document from the route table, with the same schemas that validate requests.
import { API_VERSION, acceptance, errorBody, payment, paymentIntent } from '@svc-pay/protocol';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import * as z from 'zod/mini';
import type { NamedSchema, Route } from '../routes/route.ts';
import { parametersOf, SECURITY_SCHEMES, securityOf } from './route-parameters.ts';
import { refusalsOf } from './route-refusals.ts';

export type SchemaObject = Readonly<Record<string, unknown>>;

export type OpenapiDocument = {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, Readonly<Record<string, SchemaObject>>>>;
  readonly [part: string]: unknown;
};

/** Nested schemas that get a name of their own in the document. */
const SHARED: readonly NamedSchema[] = [
  { name: 'Acceptance', schema: acceptance },
  { name: 'PaymentIntent', schema: paymentIntent },
  { name: 'Payment', schema: payment },
  { name: 'Error', schema: errorBody },
];

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

export function buildDocument(routes: readonly Route[]): OpenapiDocument {
  const paths: Record<string, Record<string, SchemaObject>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'SVC Pay',
      version: API_VERSION,
      description: 'X402 payments: intents, their status, and webhooks about them.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths,
    components: { schemas: componentsOf(routes), securitySchemes: SECURITY_SCHEMES },
  };
}

function operationOf(route: Route): SchemaObject {
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: route.description,
    security: securityOf(route),
    parameters: parametersOf(route),
    ...('body' in route &&
      route.body && {
        requestBody: {
          required: route.bodyOptional !== true,
          content: { 'application/json': { schema: refTo(route.body.name) } },
        },
      }),
    responses: { ...answersOf(route), ...refusalResponses(refusalsOf(route)) },
  };
}

function answersOf(route: Route): SchemaObject {
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, { description, contentType = 'application/json', schema }]) => {
      const content = schema === undefined ? { type: 'string' } : refTo(schema.name);
      const empty = schema === undefined && contentType === 'application/json';
      return [
        status,
        { description, headers: HEADERS, ...(!empty && { content: { [contentType]: { schema: content } } }) },
      ];
    }),
  );
}

const HEADERS = {
  'X-Request-Id': { description: 'Names this request in logs and events', schema: { type: 'string' } },
};

function refusalResponses(codes: readonly ErrorCode[]): SchemaObject {
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
        headers: HEADERS,
        content: { 'application/json': { schema: refTo('Error') } },
      },
    ]),
  );
}

function componentsOf(routes: readonly Route[]): SchemaObject {
  const registry = z.registry<{ id: string }>();
  const named = new Map([...SHARED, ...routes.flatMap(schemasOf)].map(({ name, schema }) => [name, schema]));
  for (const [id, schema] of named) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, { ...schema, $id: undefined, $schema: undefined }]),
  );
}

function schemasOf(route: Route): NamedSchema[] {
  const answers = Object.values(route.responses).flatMap(({ schema }) => (schema === undefined ? [] : [schema]));
  return 'body' in route && route.body ? [route.body, ...answers] : answers;
}
