// Reads requirements of either version into one form.
import { scheme } from '../wire/acceptance.ts';
import { parseAnyNetwork } from './network-names.ts';
import { shapeRefusal, type X402Refusal, x402Refusal } from './refusal.ts';
import { type X402Terms, x402Requirements, x402RequirementsV1 } from './requirements.ts';

export type ReadX402Terms = { readonly ok: true; readonly terms: X402Terms } | X402Refusal;

/** `path` is where the requirements stand in the message, for a refusal: `accepted`, `paymentRequirements`. */
export function readTerms(version: 1 | 2, value: unknown, path: string): ReadX402Terms {
  const read = version === 1 ? readV1(value) : x402Requirements.safeParse(value);
  if (!read.success) return shapeRefusal(read.error, path);
  const { extra, ...fields } = { resource: undefined, ...read.data };
  const named = scheme.safeParse(fields.scheme);
  if (!named.success) return x402Refusal('wrong_shape', `${path}.scheme`);
  const network = parseAnyNetwork(fields.network);
  if (network === undefined)
    return x402Refusal('unknown_network', `${path}.network`, 'names no network that x402 is known on');
  const { amount, asset, payTo, maxTimeoutSeconds, resource } = fields;
  return {
    ok: true,
    terms: { scheme: named.data, network, amount, asset, payTo, maxTimeoutSeconds, extra: extra ?? {}, resource },
  };
}

function readV1(value: unknown) {
  const read = x402RequirementsV1.safeParse(value);
  if (!read.success) return read;
  const { maxAmountRequired: amount, resource: url, description, mimeType, outputSchema: _, ...same } = read.data;
  return { success: true, data: { ...same, amount, resource: { url, description, mimeType } } } as const;
}
