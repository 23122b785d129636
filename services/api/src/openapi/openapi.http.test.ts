import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import { EVENT_TYPES } from '@svc-pay/protocol';
import { ERRORS } from '@svc-pay/protocol/errors';
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../routes/route-table.ts';
import { call } from '../testing/call.ts';
import { startTestApi } from '../testing/start-test-api.ts';
import { namedSchemas } from './build-document.ts';
import { exampleOf } from './describe-fields.ts';

const api = await startTestApi();
const document = (await call(api, 'GET', '/openapi.json')).json();

test('the document is valid OpenAPI 3.1, references included', async () => {
  expect(document.openapi).toBe('3.1.0');
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  const text = JSON.stringify(document);
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    expect(Object.keys(document.components.schemas)).toContain(name);
  }
});

test('the document lists exactly the routes that are served', () => {
  const documented = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  // Fastify prints the routes that it serves as a tree of `path (METHODS)`.
  const tree = api.app.printRoutes({ commonPrefix: false });
  const served: string[] = [];
  const trail: string[] = [];
  for (const line of tree.trimEnd().split('\n')) {
    const [, indent = '', part = '', methods = ''] = /^([│├└─\s]*)(\S+) ?(?:\(([^)]*)\))?$/.exec(line) ?? [];
    trail.splice(indent.length / 4 - 1, trail.length, part);
    for (const method of methods.split(', ').filter((name) => !['', 'HEAD', 'OPTIONS'].includes(name))) {
      served.push(`${method} ${trail.join('').replaceAll(/:(\w+)/g, '{$1}')}`);
    }
  }
  // Files are no operations.
  const operations = served.filter((route) => !route.includes('/assets/'));
  expect(served.length).toBeGreaterThan(6);
  expect([...documented].sort()).toEqual([...operations].sort());
  expect(documented).toHaveLength(ROUTES.length);
});

test('every refusal in the document has the one flat shape and a status of the catalogue', () => {
  for (const [path, methods] of Object.entries<Record<string, { responses: Record<string, object> }>>(document.paths)) {
    for (const { responses } of Object.values(methods)) {
      for (const [status, response] of Object.entries(responses)) {
        if (JSON.stringify(response).includes('/Error"')) {
          expect(
            Object.values(ERRORS).some((error) => String(error.status) === status),
            `${path} ${status}`,
          ).toBe(true);
        }
      }
    }
  }
});

type Schema = {
  readonly $ref?: string;
  readonly description?: string;
  readonly example?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
};

function fieldsOf(schema: Schema, where: string): [where: string, field: Schema][] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]): [string, Schema][] => [
    [`${where}.${name}`, field],
    ...fieldsOf(field, `${where}.${name}`),
  ]);
  const nested = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? [])];
  return [...own, ...nested.flatMap((part) => fieldsOf(part, where))];
}

describe('everything is explained', () => {
  test('every field of every schema has a description and an example', () => {
    const fields = Object.entries<Schema>(document.components.schemas).flatMap(([name, schema]) =>
      fieldsOf(schema, name),
    );
    expect(fields.length).toBeGreaterThan(200);
    const bare = fields.filter(([, field]) => !field.description || !Object.hasOwn(field, 'example'));
    expect(bare.map(([where]) => where)).toEqual([]);
  });

  test('every parameter has a description and an example', () => {
    type Parameter = Schema & {
      readonly name: string;
      readonly examples?: { readonly example: { readonly value: unknown } };
    };
    type Operation = { readonly operationId: string; readonly parameters: readonly Parameter[] };
    const methods = [document.paths, document.webhooks].flatMap((part) =>
      Object.values<Record<string, Operation>>(part),
    );
    const bare = methods
      .flatMap(Object.values<Operation>)
      .flatMap(({ operationId, parameters }) =>
        parameters
          .filter((one) => !one.description || !(one.example ?? one.examples?.example.value))
          .map(({ name }) => `${operationId} ${name}`),
      );
    expect(bare).toEqual([]);
  });

  test.each(
    ROUTES.filter((route) => 'query' in route && route.query !== undefined).map((route) => [route.path, route]),
  )('the query of %s takes each example of its parameters', (path, route) => {
    const { parameters } = document.paths[path][route.method.toLowerCase()];
    type Parameter = { in: string; required: boolean; name: string; examples: { example: { value: string } } };
    const inQuery = parameters.filter((parameter: Parameter) => parameter.in === 'query');
    const valuesOf = (some: readonly Parameter[]) =>
      Object.fromEntries(some.map(({ name, examples }) => [name, examples.example.value]));
    const required = valuesOf(inQuery.filter((parameter: Parameter) => parameter.required));
    for (const one of inQuery) {
      const given = { ...required, ...valuesOf([one]) };
      expect('query' in route && route.query?.safeParse(given), one.name).not.toHaveProperty('error');
    }
  });

  test.each([...namedSchemas(ROUTES)])('the example of %s is one that its schema takes', (name, schema) => {
    const { schemas } = document.components;
    expect(schema.safeParse(exampleOf(schemas[name], schemas))).not.toHaveProperty('error');
  });

  test.each([
    ['createX402Intent', 'publishable', 402],
    ['createEndpoint', 'secret', 201],
  ] as const)('the body of %s as the reference shows it works when it is copied', async (operationId, kind, status) => {
    const paths = Object.entries<Record<string, { operationId: string; requestBody: { content: object } }>>(
      document.paths,
    );
    const [path = '', methods] = paths.find(([, { post }]) => post?.operationId === operationId) ?? [];
    const shown = Object.values<{ example: object }>({ ...methods?.['post']?.requestBody.content })[0]?.example;
    const answer = await call(api, 'POST', path, { key: api.account.keys.test[kind], body: shown ?? {} });
    expect([answer.statusCode, answer.json().error]).toEqual([status, status === 402 ? '' : undefined]);
  });

  test('every operation is in one chapter that the document describes', () => {
    const chapters = document.tags.map(({ name }: { name: string }) => name);
    for (const [path, methods] of Object.entries<Record<string, { tags: string[] }>>(document.paths)) {
      for (const { tags } of Object.values(methods)) {
        expect({ path, tags }).toEqual({ path, tags: [expect.toBeOneOf(chapters)] });
      }
    }
  });

  test('the server is the address that the operator configured, and never the host of a request', async () => {
    const headers = { host: 'evil.example' };
    const answer = await call(api, 'GET', '/openapi.json', { headers });
    expect(answer.json().servers).toMatchObject([{ url: 'https://pay.example' }]);
    const unnamed = await startTestApi({ SVC_API_PUBLIC_URL: undefined });
    for (const path of ['/openapi.json', '/', '/nowhere'])
      expect((await call(unnamed, 'GET', path, { headers })).body).not.toContain('evil');
  });

  test('every event type is a webhook with the schema of its body', () => {
    expect(Object.keys(document.webhooks)).toEqual([...EVENT_TYPES]);
    const bodyOf = (type: string) => document.webhooks[type].post.requestBody.content['application/json'].schema.$ref;
    expect(bodyOf('payment.completed')).toBe('#/components/schemas/PaymentEvent');
    expect(bodyOf('payment_intent.created')).toBe('#/components/schemas/IntentCreatedEvent');
  });

  test('a body that refuses unknown fields says so, and one of the interface does not', () => {
    const { schemas } = document.components;
    expect(schemas.EndpointConfiguration.additionalProperties).toBe(false);
    expect(schemas.CreateIntentRequest.additionalProperties).toBeUndefined();
    expect(schemas.UptoSettleRequest.additionalProperties).toBeUndefined();
  });
});

describe('pages', () => {
  const directives = (policy: unknown) =>
    new Map(
      String(policy)
        .split('; ')
        .map((part) => [part.split(' ')[0] ?? '', part.split(' ').slice(1).join(' ')]),
    );

  test('the reference runs scripts of this server alone, and can ask no other one', async () => {
    const response = await call(api, 'GET', '/reference');
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = directives(response.headers['content-security-policy']);
    expect(policy.get('default-src')).toBe("'none'");
    expect(policy.get('script-src')).toBe("'self'");
    expect(policy.get('connect-src')).toBe("'self'");
    expect(policy.get('frame-ancestors')).toBe("'none'");
    expect(response.body).not.toMatch(/https?:\/\/|<script(?! src="reference\/assets\/)/);
  });

  test('its files are cached for a year by their hash, and by another hash not at all', async () => {
    const { body } = await call(api, 'GET', '/reference');
    const files = [...body.matchAll(/(?:src|href)="(reference\/assets\/[^"]+)"/g)].map(([, file]) => `/${file}`);
    expect(files).toHaveLength(3);
    for (const file of files) {
      const response = await call(api, 'GET', file, { headers: { 'accept-encoding': 'gzip, br' } });
      expect(response.statusCode).toBe(200);
      expect(response.headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-encoding': 'gzip',
      });
      const plain = await call(api, 'GET', file, { headers: { 'accept-encoding': 'gzip;q=0' } });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.rawPayload).toEqual(gunzipSync(response.rawPayload));
      const other = await call(api, 'GET', file.replace(/\.[\w-]{16}\./, `.${'A'.repeat(16)}.`));
      expect(other.headers['cache-control']).toBe('no-store');
    }
    for (const name of ['source.json', '..%2f..%2fpackage.json', `scalar.${'A'.repeat(16)}.css`]) {
      expect((await call(api, 'GET', `/reference/assets/${name}`)).statusCode).toBe(404);
    }
  });

  test('the renderer is the file of its package, unchanged', () => {
    const folder = new URL('../../assets/reference/', import.meta.url);
    const { sha256 } = JSON.parse(readFileSync(new URL('source.json', folder), 'utf8'));
    const script = gunzipSync(readFileSync(new URL('scalar.js.gz', folder)));
    expect(createHash('sha256').update(script).digest('hex')).toBe(sha256);
  });

  test('the page of errors has every code, no script, and is where a refusal points to', async () => {
    const response = await call(api, 'GET', '/reference/errors');
    expect(response.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(response.body).not.toMatch(/<script|https?:\/\//);
    for (const code of Object.keys(ERRORS)) expect(response.body).toContain(`id="${code}"`);
    const { docUrl } = (await call(api, 'GET', '/nowhere')).json();
    expect(docUrl).toBe('https://pay.example/reference/errors#route_unknown');
  });

  test('the root says where things are: a page to a browser, JSON to a program', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const shown = await call(api, 'GET', '/', { headers: { accept } });
    expect(shown.headers['content-type']).toBe('text/html; charset=utf-8');
    for (const place of ['reference', 'reference/errors', 'openapi.json'])
      expect(shown.body).toContain(`href="${place}"`);
    const told = await call(api, 'GET', '/', { headers: { accept: '*/*' } });
    expect(told.json()).toMatchObject({ name: 'SVC Pay', apiReference: 'https://pay.example/reference' });
    for (const response of [shown, told]) expect(response.headers['vary']).toContain('Accept');
    for (const place of ['/reference', '/reference/errors', '/openapi.json', '/health', '/ready']) {
      expect(Object.values(told.json())).toContain(`https://pay.example${place}`);
      expect((await call(api, 'GET', place)).statusCode).toBe(200);
    }
  });
});
