// Generates requests for the routes of the OpenAPI document: valid values, nearly valid values, and noise.
import fc from 'fast-check';
import { arbitrarySettle, type SignedSample } from './arbitrary-settle.ts';
import { type Operation, schemaNameOf } from './fill-request.ts';

type Schema = Readonly<Record<string, unknown>>;

export type GeneratedRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
};

export type RequestWorld = {
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly keys: readonly string[];
  readonly intentIds: readonly string[];
  /** Ids by path parameter. */
  readonly pathIds: Readonly<Record<string, readonly string[]>>;
  readonly accountIds: readonly string[];
  readonly signed: readonly SignedSample[];
};

export function arbitraryRequest(world: RequestWorld): fc.Arbitrary<GeneratedRequest> {
  // Routes with a key do the work, and of those the routes with a body can fail in the most ways.
  const weightOf = ({ method, operation }: Operation) =>
    operation.security.length === 0 ? 1 : method === 'POST' ? 12 : 6;
  const weighted = world.operations.map((operation) => ({
    weight: weightOf(operation),
    arbitrary: requestFor(operation, world),
  }));
  return fc.oneof(...weighted);
}

function requestFor(operation: Operation, world: RequestWorld): fc.Arbitrary<GeneratedRequest> {
  const takesBody = operation.method === 'POST' || operation.method === 'PATCH';
  return fc
    .record({
      method: mostly(fc.constant<string>(operation.method), fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
      url: urlOf(operation.path, world),
      headers: headersOf(world),
      payload: takesBody
        ? fc.option(payloadOf(operation, world), { nil: undefined, freq: 20 })
        : fc.constant(undefined),
      query: fc.option(fc.constantFrom(...world.keys, 'x', '%00', '%'), { nil: undefined, freq: 1 }),
    })
    .map(({ url, query, payload, ...rest }) => ({
      ...rest,
      url: query === undefined ? url : `${url}?publishableKey=${query}`,
      ...(payload !== undefined && rest.method !== 'GET' && { payload }),
    }));
}

const mostly = <Value>(usual: fc.Arbitrary<Value>, odd: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });

function urlOf(path: string, { intentIds, pathIds }: RequestWorld): fc.Arbitrary<string> {
  const [, parameter = 'intentId'] = /\{(\w+)\}/.exec(path) ?? [];
  const known = parameter === 'intentId' ? intentIds : (pathIds[parameter] ?? []);
  const odd = fc
    .oneof(fc.string(), fc.string({ unit: 'binary' }))
    .map((text) => encodeURIComponent(text.toWellFormed()));
  const id = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...known) },
    { weight: 2, arbitrary: fc.stringMatching(/^pi_[0-9a-z]{26}$/) },
    { weight: 1, arbitrary: odd },
  );
  return id.map((text) => path.replaceAll(/\{\w+\}/g, text));
}

function headersOf({ keys, accountIds }: RequestWorld): fc.Arbitrary<Record<string, string>> {
  const visible = fc.stringMatching(/^[ -~]{0,40}$/);
  const authorization = mostly(
    fc.constantFrom(...keys).map((key) => `Bearer ${key}`),
    visible,
  );
  const sometimes = <Value>(arbitrary: fc.Arbitrary<Value>, freq: number) =>
    fc.option(arbitrary, { nil: undefined, freq });
  return fc
    .record({
      authorization: sometimes(authorization, 15),
      'content-type': mostly(fc.constant('application/json'), fc.oneof(fc.constant('text/plain'), visible)),
      'idempotency-key': sometimes(
        fc.oneof(fc.constantFrom('a', 'b', 'x'.repeat(255)), fc.uuid(), fc.uuid(), visible),
        1,
      ),
      'x-account-id': fc.oneof(
        { weight: 12, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom(...accountIds) },
      ),
      'last-event-id': sometimes(fc.oneof(fc.constant('terminal'), visible), 1),
      origin: sometimes(visible, 1),
      traceparent: sometimes(visible, 1),
    })
    .map(
      (headers) =>
        Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
          string,
          string
        >,
    );
}

function payloadOf({ operation }: Operation, { schemas, signed, intentIds }: RequestWorld): fc.Arbitrary<string> {
  const name = schemaNameOf(operation);
  const schema = schemas[name];
  const generated = schema === undefined ? fc.constant({}) : valueOf(schema);
  const fitting =
    name === 'SettleRequest'
      ? mostly(arbitrarySettle(signed), generated)
      : name === 'NotifyRequest'
        ? fc.tuple(generated, fc.constantFrom(...intentIds)).map(([hints, paymentIntentId]) => {
            return { ...(hints as object), paymentIntentId };
          })
        : generated;
  return fc.oneof(
    { weight: 14, arbitrary: fitting.map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: fitting.chain((value) => damaged(JSON.stringify(value))) },
    { weight: 2, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  );
}

/** Removes, adds or changes one character: mostly invalid JSON, sometimes another valid request. */
function damaged(text: string): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.nat({ max: text.length }),
      fc.nat({ max: 2 }),
      fc.constantFrom('"', '{', '0', 'e', '\\', '\u0000', '-', ','),
    )
    .map(([at, removed, added]) => text.slice(0, at) + added + text.slice(at + removed));
}

const AMOUNTS = [
  '0',
  '1',
  '-1',
  '-0',
  '1e-30',
  '1e308',
  'NaN',
  '01',
  '1.0',
  '0x10',
  String(2n ** 256n),
  '0.30000000000000004',
];
const WORDS = [
  'basesepolia_usdc',
  'anvil_usdc',
  'anvil_vol',
  'base_usdc',
  'ic_ckusdc',
  'USDC',
  'VOL',
  'eip155:84532',
  '84532',
  '',
];

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 3, arbitrary: fc.constantFrom(...AMOUNTS) },
  { weight: 2, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3_000 }) },
);

/** Generates values of a JSON Schema, occasionally of another type. */
function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  const { anyOf, properties, type } = schema as {
    anyOf?: Schema[];
    properties?: Record<string, Schema>;
    type?: string;
  };
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(valueOf));
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([name, field]) => [
      name,
      mostly(valueOf(field), fc.jsonValue({ maxDepth: 2 })),
    ]);
    if (!Object.hasOwn(properties, 'usdAmount')) return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
    const amount = fc.constantFrom('usdAmount', 'amountUsd', 'amount');
    return fc
      .tuple(fc.record(Object.fromEntries(fields), { requiredKeys: [] }), amount, fc.integer({ min: 1, max: 10 ** 9 }))
      .map(([record, name, value]) =>
        Object.keys(record).length % 3 === 0 ? { [name]: name === 'amount' ? String(value) : value } : record,
      );
  }
  switch (type ?? 'anything') {
    case 'string':
      return text;
    case 'number':
      return fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0.1 + 0.2, 1, 2 ** 53, 1e-30, 1e308));
    case 'integer':
      return fc.oneof(fc.integer(), fc.constantFrom(300, 86_400, 604_800, 604_801));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'object':
      return fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 60 });
    default:
      return fc.jsonValue();
  }
}
