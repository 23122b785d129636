// HTML templates: inserted values are escaped unless they are SafeHtml.

export type SafeHtml = { readonly text: string };
type Part = string | SafeHtml | readonly SafeHtml[];

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): SafeHtml {
  const text = strings.reduce((page, literal, index) => page + textOf(parts[index - 1] ?? '') + literal);
  return { text };
}

export const raw = (text: string): SafeHtml => ({ text });

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function textOf(part: Part): string {
  if (typeof part === 'string') return escaped(part);
  return 'text' in part ? part.text : part.map(({ text }) => text).join('\n');
}
