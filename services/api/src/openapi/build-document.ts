// Builds the OpenAPI 3.1 document from the route table, with the same schemas that validate requests.
import {
  API_VERSION,
  acceptance,
  acceptedToken,
  errorBody,
  evmAuthorizationOption,
  evmProcessorOption,
  icrc1TransferOption,
  intentSnapshot,
  payment,
  paymentIntent,
  solanaPayOption,
} from '@svc-pay/protocol';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import { delivery, deliveryAttempt, endpoint, eventReplay, eventSummary, refund } from '@svc-pay/protocol/merchant';
import * as z from 'zod/mini';
import { type NamedSchema, type Route, refusesUnknownFields } from '../routes/route.ts';
import { describeFields, exampleOf, type Schemas } from './describe-fields.ts';
import { parametersOf, SECURITY_SCHEMES, securityOf } from './route-parameters.ts';
import { refusalsOf } from './route-refusals.ts';
import { inChapters, TAGS, tagOf } from './tags.ts';
import { EVENT_SCHEMAS, webhookOperations } from './webhook-operations.ts';

export type SchemaObject = Readonly<Record<string, unknown>>;

export type OpenapiDocument = {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, Readonly<Record<string, SchemaObject>>>>;
  readonly [part: string]: unknown;
};

/** Nested schemas that get a name of their own in the document. */
const SHARED: readonly NamedSchema[] = [
  { name: 'Acceptance', schema: acceptance },
  { name: 'AcceptedToken', schema: acceptedToken },
  { name: 'IntentSnapshot', schema: intentSnapshot },
  { name: 'PaymentIntent', schema: paymentIntent },
  { name: 'Payment', schema: payment },
  { name: 'Refund', schema: refund },
  { name: 'Endpoint', schema: endpoint },
  { name: 'Delivery', schema: delivery },
  { name: 'DeliveryAttempt', schema: deliveryAttempt },
  { name: 'EventSummary', schema: eventSummary },
  { name: 'EventReplay', schema: eventReplay },
  { name: 'EvmProcessorOption', schema: evmProcessorOption },
  { name: 'EvmAuthorizationOption', schema: evmAuthorizationOption },
  { name: 'SolanaPayOption', schema: solanaPayOption },
  { name: 'Icrc1TransferOption', schema: icrc1TransferOption },
  { name: 'Error', schema: errorBody },
];

const INTRODUCTION = [
  'Your server creates a payment intent with its secret key, the page pays it, and a webhook tells your server to ship the goods.',
  '**Keys.** Send `Authorization: Bearer <key>`. `pk_…` keys are for pages, `sk_…` keys for servers; `_test_` keys move test ' +
    'tokens only. `GET /sdk/public/tokens` lists the tokens that your account takes in the mode of the key.',
  '**Errors.** A refusal has one flat shape, see `Error`: match on `error`, read `message`, it names the way out. ' +
    '[Every code](reference/errors).',
  '**Amounts** are text in the token’s smallest unit, dollars are text or numbers. Times are ISO 8601 in UTC.',
].join('\n\n');

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** `serverUrl`: where clients reach the API, or `/` if the operator has not said. */
export function buildDocument(routes: readonly Route[], serverUrl: string): OpenapiDocument {
  const schemas = componentsOf(routes);
  const paths: Record<string, Record<string, SchemaObject>> = {};
  for (const route of inChapters(routes)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'SVC Pay',
      version: API_VERSION,
      summary: 'X402 payments: intents, their status, and webhooks about them',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl, description: 'This installation; the key decides between test and live mode' }],
    tags: TAGS,
    paths,
    webhooks: webhookOperations(),
    components: { schemas, securitySchemes: SECURITY_SCHEMES },
  };
}

function operationOf(route: Route, schemas: Schemas): SchemaObject {
  return {
    operationId: route.operationId,
    tags: [tagOf(route.path)].filter((tag) => tag !== undefined),
    summary: route.summary,
    description: route.description,
    security: securityOf(route),
    parameters: parametersOf(route),
    ...('body' in route &&
      route.body && {
        requestBody: {
          required: !('bodyOptional' in route) || !route.bodyOptional,
          content: {
            'application/json': {
              schema: refTo(route.body.name),
              example: requestExample(exampleOf(schemas[route.body.name] ?? {}, schemas)),
            },
          },
        },
      }),
    responses: { ...answersOf(route), ...refusalResponses(refusalsOf(route)) },
  };
}

/** Without the fields that one seldom sends, whose example is null, so that it can be copied. */
const requestExample = (example: unknown) =>
  Object.fromEntries(Object.entries(example as object).filter(([, value]) => value !== null));

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

function componentsOf(routes: readonly Route[]): Schemas {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of namedSchemas(routes)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
  const strict = new Set(routes.flatMap((route) => (refusesUnknownFields(route) ? [bodyNameOf(route)] : [])));
  const plain = Object.entries(schemas).map(([name, schema]) => {
    const { $id: _id, $schema: _schema, ...rest } = schema;
    return [name, { ...rest, ...(strict.has(name) && { additionalProperties: false }) }];
  });
  return describeFields(Object.fromEntries(plain) as Readonly<Record<string, SchemaObject>>);
}

/** By their name in the document. */
export function namedSchemas(routes: readonly Route[]): ReadonlyMap<string, NamedSchema['schema']> {
  const all = [...SHARED, ...EVENT_SCHEMAS, ...routes.flatMap(schemasOf)];
  return new Map(all.map(({ name, schema }) => [name, schema]));
}

const bodyNameOf = (route: Route) => ('body' in route ? route.body?.name : undefined);

function schemasOf(route: Route): NamedSchema[] {
  const answers = Object.values(route.responses).flatMap(({ schema }) => (schema === undefined ? [] : [schema]));
  return 'body' in route && route.body ? [route.body, ...answers] : answers;
}
