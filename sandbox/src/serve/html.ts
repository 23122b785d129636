// HTML templates that escape all inserted values.

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
  /** Name of the page's script and style. */
  readonly name: 'shop' | 'timeline';
  /** Data for the page's script. */
  readonly facts: object;
  readonly body: Html;
};

export function pageOf({ title, name, facts, body }: PageParts): string {
  // Escaped, because a script element ends at the first closing tag, even inside JSON.
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
