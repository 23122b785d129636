// Pages for people: where things are, the reference, and every error code. Only the reference needs a script.
import { createHash } from 'node:crypto';
import { API_VERSION } from '@svc-pay/protocol';
import { ERRORS } from '@svc-pay/protocol/errors';
import { html, raw, type SafeHtml } from '../http/html.ts';
import { referenceFilePath } from './reference-assets.ts';

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; background: light-dark(#fff, #121212); color: light-dark(#1c1c1c, #f2f2f2); }
a { color: light-dark(#1247b8, #9dbcff); }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: 0.25rem 1rem; }
dd { margin: 0; }
section { border-top: 1px solid color-mix(in srgb, currentcolor 20%, transparent); padding: 0.75rem 0.5rem; margin: 0 -0.5rem; }
section:target { background: light-dark(#fff6cc, #3a3300); }
h2 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
p { margin: 0.25rem 0; }
small { color: light-dark(#595959, #b5b5b5); }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: 0.75rem; } }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

const NOTHING_ELSE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const COMMON = { 'content-type': 'text/html; charset=utf-8' };

export const PLAIN_HEADERS = {
  ...COMMON,
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; ${NOTHING_ELSE}`,
  'cache-control': 'public, max-age=300',
};

/**
 * Scripts are files of this server. Styles may be inline: the renderer sets them as attributes, which no nonce or hash can
 * allow. Nothing can be asked of another server.
 */
export const REFERENCE_HEADERS = {
  ...COMMON,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; " +
    `font-src 'self'; ${NOTHING_ELSE}`,
  'cache-control': 'no-cache',
};

/** An empty one, or browsers ask for /favicon.ico, which is no route. */
const NO_ICON = html`<link rel="icon" href="data:,">`;

const page = (title: string, body: SafeHtml) =>
  html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>${NO_ICON}<style>${raw(STYLE)}</style></head>
<body><main>${body}</main></body></html>
`.text;

export const renderReference = () =>
  html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>SVC Pay reference</title>${NO_ICON}
<link rel="stylesheet" href="${referenceFilePath('reference.css')}">
<script src="${referenceFilePath('reference.js')}" defer></script>
<script src="${referenceFilePath('scalar.js')}" defer></script></head>
<body><div id="reference"></div>
<noscript><p class="plain">This page needs JavaScript. The same is in <a href="openapi.json">openapi.json</a>, and every error
code on <a href="reference/errors">a page without scripts</a>.</p></noscript></body></html>
`.text;

export const renderErrors = () =>
  page(
    'SVC Pay errors',
    html`<h1>Errors</h1>
<p>Match on <code>error</code>, read <code>message</code>. Back to the <a href="../reference">reference</a>.</p>
${Object.entries(ERRORS).map(
  ([code, { status, retryable, actor, message }]) =>
    html`<section id="${code}"><h2><code>${code}</code></h2><p>${message}</p>
<p><small>Status ${String(status)}${status === 200 ? ', in the body of the answer' : ''} · ${retryable ? 'may be repeated' : 'not to be repeated unchanged'} · for the ${actor}</small></p></section>`,
)}`,
  );

/** What is where, in words; the paths are relative, so that they hold below any address. */
const PLACES = [
  ['apiReference', 'reference', 'Every route, field, event and example'],
  ['errors', 'reference/errors', 'Every error code, and what to do about it'],
  ['openapi', 'openapi.json', 'The same as OpenAPI 3.1, for programs'],
  ['health', 'health', 'Whether this process runs'],
  ['ready', 'ready', 'Whether it answers requests'],
] as const;

export const renderPlaces = () =>
  page(
    'SVC Pay',
    html`<h1>SVC Pay</h1>
<p>A payment API, version ${API_VERSION}. Your server creates a payment intent, the page pays it, a webhook ships the goods.</p>
<dl>${PLACES.map(([, path, meaning]) => html`<dt><a href="${path}"><code>/${path}</code></a></dt><dd>${meaning}</dd>`)}</dl>
<p>Requests of your own begin with <code>Authorization: Bearer &lt;key&gt;</code>; try <code>GET /sdk/public/tokens</code>.</p>`,
  );

export const placesBody = (baseUrl: string): Readonly<Record<string, string>> => ({
  name: 'SVC Pay',
  apiVersion: API_VERSION,
  ...Object.fromEntries(PLACES.map(([name, path]) => [name, `${baseUrl}/${path}`])),
});
