// Fills requests for any route of the OpenAPI document. An unknown parameter or body is an error, so that a new route
// cannot escape the tests generated from the document.

type OperationObject = {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> };
};

export type Operation = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly operation: OperationObject;
};

export function operationsOf(document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
}): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase() as Operation['method'],
      path,
      operation,
    })),
  );
}

const BODIES: Readonly<Record<string, (ids: Ids) => object>> = {
  CreateIntentRequest: () => ({ usdAmount: 1 }),
  SettleRequest: ({ intentId }) => ({ paymentIntentId: intentId, paymentHeader: 'e30=' }),
  UptoSettleRequest: ({ intentId }) => ({ paymentIntentId: intentId, settledAmount: '1' }),
  CreateRefundRequest: () => ({}),
  SubmitRefundRequest: () => ({ signature: `0x${'5a'.repeat(65)}` }),
  UptoReleaseRequest: ({ intentId }) => ({ paymentIntentId: intentId }),
  PrepareRequest: ({ intentId }) => ({ paymentIntentId: intentId, publicKey: '11111111111111111111111111111111' }),
  RelayRequest: ({ intentId }) => ({ paymentIntentId: intentId, signedTransactionBase64: 'AA==' }),
  X402FacilitatorRequest: () => ({
    paymentPayload: { x402Version: 2, payload: {} },
    paymentRequirements: { network: 'eip155:84532' },
  }),
  TransactionRequest: () => ({ account: '11111111111111111111111111111111' }),
  NotifyRequest: ({ intentId }) => ({ paymentIntentId: intentId }),
  EndpointConfiguration: () => ({ url: 'https://shop.example/hooks', eventTypes: ['payment.completed'] }),
  EndpointUpdate: () => ({ url: 'https://elsewhere.example/hooks' }),
  RotateSecretRequest: () => ({ overlapSeconds: 0 }),
  SampleRequest: () => ({ type: 'payment.completed' }),
  RecoverRequest: () => ({ from: '2020-01-01T00:00:00Z', to: '2040-01-01T00:00:00Z', only: 'all' }),
  ResendRequest: ({ endpointId }) => ({ endpointId }),
};

export type Ids = {
  readonly intentId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly paymentId: string;
  readonly recoveryId: string;
  readonly refundId: string;
};

/** Query parameters that name a tenant's object; the others only filter what the caller may see anyway. */
const QUERY_IDS = ['intentId', 'paymentId'] as const;
const NO_IDS = [
  'limit',
  'format',
  'cursor',
  'day',
  'startingAfter',
  'status',
  'type',
  'createdAfter',
  'createdBefore',
  'undelivered',
  'after',
  'before',
  'from',
  'to',
  'interval',
  'chain',
  'token',
  'payer',
  'transactionId',
  'metadata',
  'expand',
  'client_secret',
];

export function fillRequest(
  path: string,
  operation: OperationObject,
  ids: Ids,
): { readonly url: string; readonly body?: object } {
  const inPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (!Object.hasOwn(ids, name)) throw new Error(`${operation.operationId}: no way to fill {${name}} in the path`);
    return ids[name as keyof Ids];
  });
  const url = `${inPath}${queryOf(operation, ids)}`;
  if (operation.requestBody === undefined) return { url };
  const shape = schemaNameOf(operation);
  const body = BODIES[shape];
  if (body === undefined) throw new Error(`${operation.operationId}: no way to fill a body of shape ${shape}`);
  return { url, body: body(ids) };
}

function queryOf({ operationId, parameters = [] }: OperationObject, ids: Ids): string {
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const unknown = names.find((name) => !NO_IDS.includes(name) && !QUERY_IDS.includes(name as 'intentId'));
  if (unknown !== undefined) throw new Error(`${operationId}: no way to fill ?${unknown}`);
  const filled = QUERY_IDS.filter((name) => names.includes(name)).map((name): [string, string] => [name, ids[name]]);
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled).toString()}`;
}

export function schemaNameOf({ requestBody }: OperationObject): string {
  return requestBody?.content['application/json']?.schema.$ref.replace(/^.*\//, '') ?? '';
}
