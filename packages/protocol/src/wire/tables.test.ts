import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type JsonSchema, jsonSchemaOf } from '../testing/json-schema.ts';
import { WIRE_SCHEMAS } from '../testing/wire-schemas.ts';

type Field = { types: string[]; required: boolean; nullable: boolean };
/** Table name → field path → documented type. */
function tablesOf(markdown: string): Map<string, Map<string, Field>> {
  const tables = new Map<string, Map<string, Field>>();
  let title = '';
  for (const line of markdown.split('\n')) {
    if (line.startsWith('## ')) title = line.slice(3);
    const cells = line.split('|').map((cell) => cell.trim());
    if (cells.length < 7 || cells[1] === 'Field' || cells[1]?.startsWith('---')) continue;
    const [, name, type, required, nullable] = cells as [string, string, string, string, string];
    const words = type.includes('`') ? [...type.matchAll(/`([^`]+)`/g)].map((match) => match[1]!) : type.split(', ');
    const table = tables.get(title) ?? new Map<string, Field>();
    table.set(name, { types: words.sort(), required: required === 'yes', nullable: nullable === 'yes' });
    tables.set(title, table);
  }
  return tables;
}

/** The same view of a schema; only paths that the table expands are descended into. */
function fieldsOf(schema: JsonSchema, opened: ReadonlySet<string>, prefix = ''): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const path = prefix + name;
    const branches = property.branches ?? [property];
    const inner = branches.find((branch) => branch.properties !== undefined);
    if (opened.has(path) && inner !== undefined) {
      for (const [innerPath, field] of fieldsOf(inner, opened, `${path}.`)) fields.set(innerPath, field);
      continue;
    }
    fields.set(path, {
      types: branches
        .flatMap(wordsOf)
        .filter((word) => word !== 'null')
        .sort(),
      required: schema.required?.includes(name) ?? false,
      nullable: branches.some((branch) => branch.type === 'null'),
    });
  }
  return fields;
}

function wordsOf(schema: JsonSchema): string[] {
  if (schema.enum !== undefined) return schema.enum.map(String);
  if (schema.const !== undefined) return [JSON.stringify(schema.const).replaceAll('"', '')];
  return [schema.type === 'integer' ? 'number' : (schema.type ?? 'unknown')];
}

const tables = tablesOf(readFileSync(new URL('../../../../docs/reference/wire.md', import.meta.url), 'utf8'));

test('every table has its schema and every schema its table', () => {
  expect([...tables.keys()].sort()).toEqual(Object.keys(WIRE_SCHEMAS).sort());
});

describe.each(Object.entries(WIRE_SCHEMAS))('%s', (title, schema) => {
  const table = tables.get(title) ?? new Map<string, Field>();
  const opened = new Set([...table.keys()].flatMap(parentsOf));
  const fields = fieldsOf(jsonSchemaOf(schema), opened);

  test('has exactly the fields of its table', () => {
    expect([...fields.keys()].sort()).toEqual([...table.keys()].sort());
  });
  test.each([...table])('%s has the type, presence and null of its row', (path, field) => {
    expect(fields.get(path)).toEqual(field);
  });
});

function parentsOf(path: string): string[] {
  const names = path.split('.');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
}
