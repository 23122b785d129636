import { Validator } from '@seriousme/openapi-schema-validator';
import { ERRORS } from '@svc-pay/protocol/errors';
import { expect, test } from 'vitest';
import { ROUTES } from '../routes/route-table.ts';
import { call } from '../testing/call.ts';
import { startTestApi } from '../testing/start-test-api.ts';

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

test('the document sends nobody to a way of paying that is not credited', () => {
  expect(JSON.stringify(document)).not.toMatch(/regular (flow|payment)/i);
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
  expect(served.length).toBeGreaterThan(6);
  expect([...documented].sort()).toEqual([...served].sort());
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

test('the reference is one page without scripts and without other servers, and explains every error code', async () => {
  const response = await call(api, 'GET', '/reference');
  expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(response.headers['content-security-policy']).toContain("default-src 'none'");
  expect(response.body).not.toMatch(/<script|<link|https?:\/\//);
  for (const code of Object.keys(ERRORS)) expect(response.body).toContain(`id="${code}"`);
  for (const path of Object.keys(document.paths)) expect(response.body).toContain(path);
});
