// HTML as text, with everything that is put into it made harmless first.

export type Html = { readonly html: string };

export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  return { html: parts.reduce((text, part, index) => text + inserted(values[index - 1] ?? '') + part) };
}

function inserted(value: string | number | Html | readonly Html[]): string {
  if (typeof value === 'object') return 'html' in value ? value.html : value.map((part) => part.html).join('');
  return String(value).replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

export type PageParts = {
  readonly title: string;
  /** The script and style of the page, by name. */
  readonly name: 'shop' | 'timeline';
  /** What its script is to know. */
  readonly facts: object;
  readonly body: Html;
};

export function pageOf({ title, name, facts, body }: PageParts): string {
  // A script element ends at its closing tag whatever the JSON says.
  const json = { html: JSON.stringify(facts).replaceAll('<', '\\u003c') };
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/look.css">
<link rel="stylesheet" href="/assets/${name}.css">
<script type="application/json" id="facts">${json}</script>
<script type="module" src="/assets/${name}.js"></script>
</head>
<body>${body}</body>
</html>`.html;
}
