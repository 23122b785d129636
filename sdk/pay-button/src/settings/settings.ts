// What a button was told by its attributes, in the terms of the SDK; or the first thing that can't be meant.
import { parseAtomic, parseUsd } from '@svc-pay/money';
import type { IntentToPay, UptoRequest } from '@svc-pay/sdk';
import { tokenNamed } from '../tokens/known-tokens.ts';

/** Names of the fields, and of the attributes they are read from. */
export const ATTRIBUTES = {
  apiUrl: 'api-url',
  publishableKey: 'publishable-key',
  paymentIntentId: 'payment-intent-id',
  clientSecret: 'client-secret',
  usdAmount: 'usd-amount',
  amount: 'amount',
  tokenShortcode: 'token-shortcode',
  mode: 'mode',
  order: 'order',
  metadata: 'metadata',
  description: 'description',
  payTo: 'pay-to',
  maxAmount: 'max-amount',
  maxTimeoutSeconds: 'max-timeout-seconds',
} as const;

type Field = keyof typeof ATTRIBUTES;
const FIELDS = Object.keys(ATTRIBUTES) as readonly Field[];

/** As they stand in the page; empty ones count as absent. */
export type Attributes = { readonly [Name in Field]?: string | undefined };

export type Settings = {
  readonly baseUrl: string;
  readonly mode: 'exact' | 'upto';
  /** What is paid, and with what the service is asked. */
  readonly payment: PaymentOfKey | PaymentOfIntent;
  /** The merchant's name for what is paid, if told. */
  readonly order: string | undefined;
  /** The same for everything that pays for the same thing, in every tab. */
  readonly key: string;
};

/** The page says what is paid, and its publishable key makes the intent. */
type PaymentOfKey = { readonly publishableKey: string; readonly request: UptoRequest };
/** The merchant's server has made the intent. */
type PaymentOfIntent = { readonly request: IntentToPay };

export type SettingsResult =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly code: 'misconfigured'; readonly part: string };

const wrong = (part: string): SettingsResult => ({ ok: false, code: 'misconfigured', part });

export function readSettings(attributes: Attributes): SettingsResult {
  const { apiUrl = '', publishableKey = '', mode = 'exact', usdAmount, amount } = present(attributes);
  const { order, metadata, maxTimeoutSeconds, tokenShortcode, description, payTo, maxAmount } = present(attributes);
  if (!URL.canParse(apiUrl)) return wrong('api-url');
  if (attributes.paymentIntentId || attributes.clientSecret) return intentSettings(present(attributes), apiUrl);
  if (!/^pk_(?:test|live)_\w+$/.test(publishableKey)) return wrong('publishable-key');
  if (mode !== 'exact' && mode !== 'upto') return wrong('mode');
  if (usdAmount === undefined && amount === undefined) return wrong('usd-amount');
  if (usdAmount !== undefined && !isDollars(usdAmount)) return wrong('usd-amount');
  if (amount !== undefined && !isAtomic(amount)) return wrong('amount');
  if (maxAmount !== undefined && !isAtomic(maxAmount)) return wrong('max-amount');
  if (maxTimeoutSeconds !== undefined && !/^[1-9]\d{0,6}$/.test(maxTimeoutSeconds)) return wrong('max-timeout-seconds');
  const data = metadata === undefined ? {} : objectIn(metadata);
  if (data === undefined) return wrong('metadata');
  const noted = order === undefined || 'order' in data ? data : { ...data, order };
  const request: UptoRequest = {
    ...(usdAmount !== undefined && { usdAmount }),
    ...(amount !== undefined && { amount }),
    ...(tokenShortcode !== undefined && { tokenShortcode }),
    ...(description !== undefined && { description }),
    ...(Object.keys(noted).length > 0 && { metadata: noted }),
    ...(mode === 'upto' && maxTimeoutSeconds !== undefined && { maxTimeoutSeconds: Number(maxTimeoutSeconds) }),
    ...((payTo !== undefined || maxAmount !== undefined) && {
      expect: expectationOf({ payTo, maxAmount }),
    }),
  };
  const baseUrl = new URL(apiUrl).href;
  const key = JSON.stringify([baseUrl, publishableKey, mode, order === undefined ? request : { order }]);
  return { ok: true, settings: { baseUrl, mode, payment: { publishableKey, request }, order, key } };
}

/** The server said these when it made the intent. */
const SAID_BY_SERVER = ['amount', 'metadata', 'description', 'maxTimeoutSeconds'] as const;
const CLIENT_SECRET = /^(?:test|live)_[\w-]+$/;

/** `usd-amount` and `token-shortcode` are what the page shows; an acceptance that asks for something else is not signed. */
function intentSettings(attributes: Attributes, apiUrl: string): SettingsResult {
  const { paymentIntentId = '', clientSecret = '', mode = 'exact', order, usdAmount, tokenShortcode } = attributes;
  const { payTo, maxAmount } = attributes;
  if (!/^\w+$/.test(paymentIntentId)) return wrong('payment-intent-id');
  if (!CLIENT_SECRET.test(clientSecret)) return wrong('client-secret');
  if (mode !== 'exact' && mode !== 'upto') return wrong('mode');
  if (tokenShortcode !== undefined && tokenNamed(tokenShortcode) === undefined) return wrong('token-shortcode');
  const other = SAID_BY_SERVER.find((name) => attributes[name] !== undefined);
  if (other !== undefined) return wrong(ATTRIBUTES[other]);
  if (usdAmount !== undefined && !isDollars(usdAmount)) return wrong('usd-amount');
  if (maxAmount !== undefined && !isAtomic(maxAmount)) return wrong('max-amount');
  const request: IntentToPay = {
    paymentIntentId,
    clientSecret,
    expect: {
      ...expectationOf({ payTo, maxAmount }),
      ...(usdAmount !== undefined && { usdAmount }),
      ...(tokenShortcode !== undefined && { tokenShortcode }),
    },
  };
  const baseUrl = new URL(apiUrl).href;
  // Records are kept under it in the browser, so the secret is no part of it.
  const key = JSON.stringify([baseUrl, { paymentIntentId }, mode]);
  return { ok: true, settings: { baseUrl, mode, payment: { request }, order, key } };
}

const expectationOf = ({ payTo, maxAmount }: Pick<Attributes, 'payTo' | 'maxAmount'>) => ({
  ...(payTo !== undefined && { payTo: payTo.trim().split(/\s+/) }),
  ...(maxAmount !== undefined && { maxAmount }),
});

/** Empty attributes are the usual way of leaving one out in a template. */
function present(attributes: Attributes): Attributes {
  return Object.fromEntries(FIELDS.map((name) => [name, attributes[name] || undefined]));
}

function isDollars(text: string): boolean {
  const read = parseUsd(text);
  return read.ok && read.usd > 0n;
}

function isAtomic(text: string): boolean {
  const read = parseAtomic(text);
  return read.ok && read.atomic > 0n;
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** For the console: which attribute, and what it takes. */
export function misconfiguredLine(part: string): string {
  const takes = TAKES[part] ?? 'see the attributes of the button in its documentation';
  return `<svc-pay-button>: the attribute ${part} is missing or not valid: ${takes}.`;
}

const TAKES: Readonly<Record<string, string>> = {
  'api-url': 'the address of the service, such as https://pay.example.com',
  'publishable-key': 'a key that begins with pk_test_ or pk_live_, never a secret key',
  'payment-intent-id': 'the id of an intent of your server, which begins with pi_',
  'client-secret': 'the clientSecret that the create of that intent answered, never an API key',
  mode: 'exact or upto',
  'usd-amount': 'dollars, such as 12.50',
  amount: 'digits in the smallest unit of the token, such as 12500000',
  'max-amount': 'digits in the smallest unit of the token',
  metadata: 'a JSON object as text',
};
