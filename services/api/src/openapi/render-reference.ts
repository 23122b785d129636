// Renders the reference as one static page: table of contents, operations, schemas, error codes.
import { ERRORS } from '@svc-pay/protocol/errors';
import type { OpenapiDocument, SchemaObject } from './build-document.ts';
import { escaped, html, raw, type SafeHtml } from './html.ts';

type Operation = SchemaObject & {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
};

export function renderReference(document: OpenapiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
  );
  const { schemas } = document['components'] as { schemas: Readonly<Record<string, SchemaObject>> };
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>SVC Pay reference</title><style>${raw(STYLE)}</style></head>
<body><main>
<h1>SVC Pay</h1>
<p>The same as <a href="openapi.json">openapi.json</a>, for reading.</p>
<nav><ul>${operations.map(({ path, method, operation }) => html`<li><a href="#${operation.operationId}"><code>${method.toUpperCase()} ${path}</code></a> ${operation.summary}</li>`)}
<li><a href="#shapes">Shapes</a></li><li><a href="#errors">Errors</a></li></ul></nav>
${operations.map(({ path, method, operation }) => operationSection(path, method, operation))}
<h2 id="shapes">Shapes</h2>
${Object.entries(schemas).map(([name, schema]) => html`<h3 id="${name}">${name}</h3>${shapeTable(schema)}`)}
<h2 id="errors">Errors</h2>
<table><tr><th>Code</th><th>Status</th><th>Retry</th><th>Meaning</th></tr>
${Object.entries(ERRORS).map(([code, { status, retryable, message }]) => html`<tr id="${code}"><td><code>${code}</code></td><td>${String(status)}</td><td>${retryable ? 'yes' : 'no'}</td><td>${message}</td></tr>`)}
</table></main></body></html>
`;
  return page.text;
}

function operationSection(path: string, method: string, operation: Operation): SafeHtml {
  const parameters = operation['parameters'] as readonly { name: string; in: string; description: string }[];
  const responses = operation['responses'] as Readonly<Record<string, { description: string; content?: SchemaObject }>>;
  const body = operation['requestBody'] as { content: SchemaObject } | undefined;
  return html`<section id="${operation.operationId}"><h2>${operation.summary}</h2>
<p><code>${method.toUpperCase()} ${path}</code></p><p>${operation.description}</p>
${body === undefined ? '' : html`<p>Body: ${shapeLink(body.content)}</p>`}
${
  parameters.length === 0
    ? ''
    : html`<table><tr><th>Parameter</th><th>In</th><th>Meaning</th></tr>
${parameters.map((given) => html`<tr><td><code>${given.name}</code></td><td>${given.in}</td><td>${given.description}</td></tr>`)}</table>`
}
<table><tr><th>Status</th><th>Shape</th><th>Meaning</th></tr>
${Object.entries(responses).map(([status, { description, content }]) => html`<tr><td>${status}</td><td>${content === undefined ? '' : shapeLink(content)}</td><td>${description.split('\n\n').map((line) => html`${line}<br>`)}</td></tr>`)}
</table></section>`;
}

function shapeLink(content: SchemaObject): SafeHtml {
  const [type = '', media] = Object.entries(content)[0] ?? [];
  const name = typeText((media as { schema?: SchemaObject }).schema ?? {});
  return name === 'string' ? html`<code>${type}</code>` : html`<a href="#${name}">${name}</a>`;
}

function shapeTable(schema: SchemaObject): SafeHtml {
  const required = new Set(schema['required'] as readonly string[] | undefined);
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, SchemaObject>>);
  if (properties.length === 0) return html`<p>${typeText(schema)}</p>`;
  return html`<table><tr><th>Field</th><th>Type</th><th>Required</th></tr>
${properties.map(([name, property]) => html`<tr><td><code>${name}</code></td><td>${typeText(property)}</td><td>${required.has(name) ? 'yes' : 'no'}</td></tr>`)}</table>`;
}

function typeText(schema: SchemaObject): string {
  const { $ref, anyOf, enum: values, const: value, type, items } = schema;
  if (typeof $ref === 'string') return $ref.replace(/^.*\//, '');
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map((branch: SchemaObject) => typeText(branch)))].join(' or ');
  if (Array.isArray(values)) return values.map(String).join(', ');
  if (value !== undefined) return JSON.stringify(value);
  if (type === 'array') return `list of ${typeText((items ?? {}) as SchemaObject)}`;
  return typeof type === 'string' ? type : 'anything';
}

const STYLE = escaped(
  'body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1c1c1c;background:#fff}' +
    'table{border-collapse:collapse;width:100%;margin:1rem 0}td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;' +
    'vertical-align:top}code{font-size:.9em}section{margin-top:3rem}tr:target{background:#ffd}',
);
