// Requests for any route of the OpenAPI document. What it does not know how to fill is an error, so that a new route can't
// slip past the tests that are generated from the document.

type OperationObject = {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> };
};

export type Operation = {
  readonly method: 'GET' | 'POST';
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
  UptoReleaseRequest: ({ intentId }) => ({ paymentIntentId: intentId }),
  NotifyRequest: ({ intentId }) => ({ paymentIntentId: intentId }),
};

type Ids = { readonly intentId: string };

export function fillRequest(
  path: string,
  operation: OperationObject,
  ids: Ids,
): { readonly url: string; readonly body?: object } {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (!Object.hasOwn(ids, name)) throw new Error(`${operation.operationId}: no way to fill {${name}} in the path`);
    return ids[name as keyof Ids];
  });
  if (operation.requestBody === undefined) return { url };
  const shape = schemaNameOf(operation);
  const body = BODIES[shape];
  if (body === undefined) throw new Error(`${operation.operationId}: no way to fill a body of shape ${shape}`);
  return { url, body: body(ids) };
}

export function schemaNameOf({ requestBody }: OperationObject): string {
  return requestBody?.content['application/json']?.schema.$ref.replace(/^.*\//, '') ?? '';
}
