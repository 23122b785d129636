// What a button was told by its attributes, in the terms of the SDK; or the first thing that can't be meant.
import { parseAtomic, parseUsd } from '@svc-pay/money';
import type { UptoRequest } from '@svc-pay/sdk';

/** Names of the fields, and of the attributes they are read from. */
export const ATTRIBUTES = {
  apiUrl: 'api-url',
  publishableKey: 'publishable-key',
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
  readonly publishableKey: string;
  readonly mode: 'exact' | 'upto';
  readonly request: UptoRequest;
  /** The merchant's name for what is paid, if told. */
  readonly order: string | undefined;
  /** The same for everything that pays for the same thing, in every tab. */
  readonly key: string;
};

export type SettingsResult =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly code: 'misconfigured'; readonly part: string };

const wrong = (part: string): SettingsResult => ({ ok: false, code: 'misconfigured', part });

export function readSettings(attributes: Attributes): SettingsResult {
  const { apiUrl = '', publishableKey = '', mode = 'exact', usdAmount, amount } = present(attributes);
  const { order, metadata, maxTimeoutSeconds, tokenShortcode, description, payTo, maxAmount } = present(attributes);
  if (!URL.canParse(apiUrl)) return wrong('api-url');
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
      expect: {
        ...(payTo !== undefined && { payTo: payTo.trim().split(/\s+/) }),
        ...(maxAmount !== undefined && { maxAmount }),
      },
    }),
  };
  const baseUrl = new URL(apiUrl).href;
  const key = JSON.stringify([baseUrl, publishableKey, mode, order === undefined ? request : { order }]);
  return { ok: true, settings: { baseUrl, publishableKey, mode, request, order, key } };
}

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
