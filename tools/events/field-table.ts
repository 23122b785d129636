// A table of fields from a schema. What each field means is written once, in docs/reference/wire.md.
import * as z from 'zod/mini';

type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
};

export type Meanings = ReadonlyMap<string, string>;

/** Meanings by field, of the table under this title. */
export function meaningsOf(wirePage: string, title: string): Meanings {
  const section = wirePage.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return new Map(
    rows.map((row) => {
      const [, field = '', , , , meaning = ''] = row.split('|').map((cell) => cell.trim());
      return [field, meaning];
    }),
  );
}

/** Throws for a field without a meaning. Objects named in `opened` are shown field by field. */
export function fieldTable(
  schema: z.core.$ZodType,
  meanings: Meanings,
  example: unknown,
  opened: readonly string[] = [],
): string {
  const rows = rowsOf(z.toJSONSchema(schema) as JsonSchema, '', opened, example).map(
    ({ field, type, always, value }) => {
      const meaning = meanings.get(field);
      if (meaning === undefined) throw new Error(`docs/reference/wire.md does not say what ${field} means`);
      return `| \`${field}\` | ${type} | ${always ? 'always' : 'not always'} | ${value} | ${meaning} |`;
    },
  );
  return ['| Field | Type | There | Example | Meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}

type Row = { readonly field: string; readonly type: string; readonly always: boolean; readonly value: string };

function rowsOf(schema: JsonSchema, prefix: string, opened: readonly string[], example: unknown): readonly Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = prefix + name;
    const value = (example as Readonly<Record<string, unknown>> | undefined)?.[name];
    if (opened.includes(field)) return rowsOf(property, `${field}.`, opened, value);
    const always = schema.required?.includes(name) ?? false;
    return [{ field, type: typeOf(property), always, value: shown(value) }];
  });
}

function typeOf(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${word}\``).join(' ');
  if (schema.format === 'date-time') return 'string, ISO 8601';
  return schema.type === 'integer' ? 'number' : [schema.type ?? 'any'].flat().join(' or ');
}

function shown(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'object' && value !== null) return '…';
  const text = JSON.stringify(value);
  return `\`${text.length > 30 ? `${text.slice(0, 14)}…"` : text}\``;
}
