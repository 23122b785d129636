// Adds a description and an example to every field of the document's schemas. A field without a text stays bare: the document is
// served all the same, and a test names every such field.
import type { SchemaObject } from './build-document.ts';
import { FIELD_TEXTS } from './texts/index.ts';

export type Schemas = Readonly<Record<string, SchemaObject>>;
type Properties = Readonly<Record<string, SchemaObject>>;
type Place = {
  readonly component: string;
  /** Field that the shape belongs to; empty at the top of a component. */
  readonly parent: string;
  readonly schemas: Schemas;
};

export function describeFields(schemas: Schemas): Schemas {
  return Object.fromEntries(
    Object.entries(schemas).map(([component, schema]) => [
      component,
      describeSchema(schema, { component, parent: '', schemas }),
    ]),
  );
}

function describeSchema(schema: SchemaObject, place: Place): SchemaObject {
  const properties = schema['properties'] as Properties | undefined;
  const branches = schema['anyOf'] as readonly SchemaObject[] | undefined;
  const items = schema['items'] as SchemaObject | undefined;
  const inside = (part: SchemaObject) => describeSchema(part, place);
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, describeField(name, field, place)]),
      ),
    }),
    ...(branches && { anyOf: branches.map(inside) }),
    ...(items && { items: inside(items) }),
  };
}

function describeField(name: string, field: SchemaObject, place: Place): SchemaObject {
  const keys = [`${place.component}.${name}`, `${place.parent}.${name}`, name];
  const key = keys.find((candidate) => Object.hasOwn(FIELD_TEXTS, candidate));
  const described = describeSchema(field, { ...place, parent: name });
  if (key === undefined) return described;
  const [description, ...examples] = FIELD_TEXTS[key] ?? [''];
  const example = examples.length > 0 ? examples[0] : exampleOf(described, place.schemas);
  return { ...described, description, ...(example !== undefined && { example }) };
}

/** From the examples of its fields, undefined where one has none. A shape that refers to itself is none of ours. */
export function exampleOf(schema: SchemaObject, schemas: Schemas): unknown {
  if (Object.hasOwn(schema, 'example')) return schema['example'];
  const {
    $ref,
    const: only,
    enum: choices,
    anyOf,
    properties,
    items,
    type,
  } = schema as {
    readonly $ref?: string;
    readonly const?: unknown;
    readonly enum?: readonly unknown[];
    readonly anyOf?: readonly SchemaObject[];
    readonly properties?: Properties;
    readonly items?: SchemaObject;
    readonly type?: string;
  };
  if ($ref !== undefined) {
    const component = $ref.replace(/^.*\//, '');
    return exampleOf(describeSchema(schemas[component] ?? {}, { component, parent: '', schemas }), schemas);
  }
  if (only !== undefined) return only;
  if (choices !== undefined) return choices[0];
  if (anyOf?.[0] !== undefined) return exampleOf(anyOf[0], schemas);
  if (properties !== undefined) {
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field, schemas)]));
  }
  if (items !== undefined) return [exampleOf(items, schemas)];
  return type === 'boolean' ? true : undefined;
}
