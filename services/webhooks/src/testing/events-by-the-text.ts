// Field tables of the published interface, copied by hand and independent of this project's code: what a merchant would
// check an event against.

type Kind =
  | 'string'
  | 'number'
  | 'boolean'
  | 'object'
  | 'string?'
  | 'number?'
  | 'amount'
  | 'amount?'
  | 'time'
  | 'seconds';
type Fields = Readonly<Record<string, Kind>>;
type Json = Readonly<Record<string, unknown>>;

const IS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string' && value !== '',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'string?': (value) => value === null || typeof value === 'string',
  'number?': (value) => value === null || typeof value === 'number',
  // Integer string in the token's smallest unit.
  amount: (value) => typeof value === 'string' && /^(?:0|[1-9]\d*)$/.test(value),
  'amount?': (value) => value === null || IS.amount(value),
  // ISO 8601.
  time: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value),
  // Unix seconds: ten digits from 2001 until 2286.
  seconds: (value) => typeof value === 'number' && /^\d{10}$/.test(String(value)),
};

const ENVELOPE: Fields = {
  id: 'string',
  object: 'string',
  api_version: 'string',
  created: 'seconds',
  data: 'object',
  livemode: 'boolean',
  pending_webhooks: 'number',
  request: 'object',
  type: 'string',
};
const REQUEST: Fields = { id: 'string', idempotency_key: 'string?' };
const INTENT: Fields = {
  id: 'string',
  accountId: 'string',
  amount: 'amount',
  ledgerCanisterId: 'string',
  description: 'string?',
  expectedSenderPrincipal: 'string?',
  status: 'string',
  intentCode: 'number',
  metadata: 'object',
  createdAt: 'time',
};
const SNAPSHOT: Fields = {
  id: 'string',
  object: 'string',
  paymentIntentId: 'string',
  status: 'string',
  amount: 'amount',
  amountUsd: 'number?',
  ledgerCanisterId: 'string?',
  payer: 'string?',
  metadata: 'object',
  intentCode: 'number?',
};
const PAYMENT: Fields = {
  id: 'string',
  accountId: 'string',
  paymentIntentId: 'string',
  transactionId: 'string?',
  transactionSplitId: 'string?',
  canisterTxId: 'string?',
  status: 'string',
  amount: 'amount',
  ledgerCanisterId: 'string',
  ledgerTxId: 'string?',
  accountCanisterId: 'number?',
  basePaymentAccountId: 'string?',
  invoiceId: 'string?',
  metadata: 'object',
  requestedAmount: 'amount?',
  paidAmount: 'amount?',
  createdAt: 'time',
  network: 'string?',
  token: 'string?',
};
const INTENT_OF_PAYMENT: Fields = { intentCode: 'number', amount: 'amount', metadata: 'object' };

const INTENT_STATUSES = ['requires_payment', 'processing', 'completed', 'failed', 'canceled', 'mismatched'];
/** Payment statuses allowed in each event type. */
const PAYMENT_STATUSES: Readonly<Record<string, readonly string[]>> = {
  'payment.created': ['pending', 'completed', 'failed', 'canceled', 'refunded', 'mismatched'],
  'payment.updated': ['pending', 'mismatched'],
  'payment.completed': ['completed'],
  'payment.failed': ['failed'],
  'payment.cancelled': ['canceled'],
  'payment.refunded': ['refunded'],
};

/** Lists the differences between an event and the published text. Fields that the text does not name are ignored. */
export function differencesFromTheText(body: Buffer): readonly string[] {
  const event = JSON.parse(body.toString('utf8')) as Json;
  const data = childOf(event, 'data');
  const subject = childOf(data, 'object');
  const type = String(event['type']);
  return [
    ...compare('event', event, ENVELOPE),
    ...unless(event['object'] === 'event', 'object is not `event`'),
    ...unless(/^\d{4}-\d\d-\d\d$/.test(String(event['api_version'])), 'api_version is not a date'),
    ...compare('request', childOf(event, 'request'), REQUEST),
    ...(type.startsWith('payment.') ? ofPayment(type, subject, data) : ofIntent(type, subject)),
  ];
}

function ofIntent(type: string, intent: Json): string[] {
  const snapshot = type === 'x402_upto_authorization_received';
  return [
    // `payment_intent.canceled` is an addition to the text.
    ...unless(snapshot || type.startsWith('payment_intent.'), `${type} is no type`),
    ...compare('intent', intent, snapshot ? SNAPSHOT : INTENT),
    ...unless(INTENT_STATUSES.includes(String(intent['status'])), `an intent is never ${String(intent['status'])}`),
    ...unless(!snapshot || intent['object'] === 'payment_intent', 'object is not `payment_intent`'),
    ...unless(!snapshot || intent['id'] === intent['paymentIntentId'], 'the two ids of a snapshot differ'),
    ...unless(
      !snapshot || IS.amount(childOf(intent, 'metadata')['svc_x402_upto_max_amount_atomic']),
      'the metadata has no cap',
    ),
  ];
}

function ofPayment(type: string, payment: Json, data: Json): string[] {
  const status = String(payment['status']);
  return [
    ...unless(
      PAYMENT_STATUSES[type]?.includes(status) === true || isPartlyRefunded(type, payment, data),
      `${type} with status ${status}`,
    ),
    ...compare('payment', payment, PAYMENT),
    ...unless(
      ['ic', 'evm', 'sol', null].includes(payment['network'] as string | null),
      'network is none of the chains',
    ),
    ...unless(type !== 'payment.completed' || IS.time(payment['completedAt']), 'completedAt is missing'),
    ...('intent' in payment ? compare('intent of the payment', childOf(payment, 'intent'), INTENT_OF_PAYMENT) : []),
    ...unless(
      status !== 'mismatched' || (IS.amount(payment['requestedAmount']) && IS.amount(payment['paidAmount'])),
      'mismatched without both amounts',
    ),
    ...unless(!('previous_attributes' in data) || type === 'payment.updated', `${type} with previous attributes`),
    ...unless(!('previous_attributes' in data) || IS.object(data['previous_attributes']), 'previous_attributes is odd'),
  ];
}

/** A completed payment changed and did not reach its status by that. */
function isPartlyRefunded(type: string, payment: Json, data: Json): boolean {
  const before = childOf(data, 'previous_attributes');
  const isUnended = type === 'payment.updated' && payment['status'] === 'completed';
  return isUnended && 'refundedAmount' in before && !('status' in before);
}

function compare(name: string, value: Json, fields: Fields): string[] {
  return Object.entries(fields).flatMap(([field, kind]) => {
    if (!(field in value)) return [`${name}.${field} is missing`];
    return IS[kind](value[field]) ? [] : [`${name}.${field} is ${JSON.stringify(value[field])}, not a ${kind}`];
  });
}

function childOf(parent: Json, field: string): Json {
  return (IS.object(parent[field]) ? parent[field] : {}) as Json;
}

const unless = (holds: boolean, problem: string): string[] => (holds ? [] : [problem]);
