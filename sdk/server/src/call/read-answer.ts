// What an answer must be to count as one. Payments are read field by field, since a wrong status could ship goods. Endpoints
// and events are recognised by their names alone, so that a service with a new event type does not break an old client.
import type { ReadAnswer } from './call-service.ts';

type Schema<Value> = {
  readonly safeParse: (
    value: unknown,
  ) => { readonly success: true; readonly data: Value } | { readonly success: false };
};

/** Every field, or nothing. */
export function exactly<Value>(schema: Schema<Value>, expectedStatus = 200): ReadAnswer<Value> {
  return (value, httpStatus) => {
    if (httpStatus !== expectedStatus) return undefined;
    const read = schema.safeParse(value);
    return read.success ? read.data : undefined;
  };
}

type Kind = 'text' | 'object' | 'list' | 'flag' | 'number' | 'text or null';

const IS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  list: (value) => Array.isArray(value),
  flag: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  'text or null': (value) => value === null || typeof value === 'string',
};

/** These fields, each of its kind; the rest as it came. */
export function withFields<Value>(fields: Readonly<Partial<Record<keyof Value, Kind>>>): ReadAnswer<Value> {
  return (value, httpStatus) => {
    if (httpStatus < 200 || httpStatus > 299 || !IS.object(value)) return undefined;
    const given = value as Readonly<Record<string, unknown>>;
    const whole = Object.entries(fields).every(([name, kind]) => IS[kind as Kind](given[name]));
    return whole ? (value as Value) : undefined;
  };
}
