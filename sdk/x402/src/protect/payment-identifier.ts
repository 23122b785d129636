// The extension `payment-identifier` of x402: a random text of the buyer inside the payment, which is on no chain. Whoever
// repeats a payment with it is the buyer.
import type { X402Payment } from '@svc-pay/protocol/x402';

const PAYMENT_IDENTIFIER = 'payment-identifier';
const MIN_CHARACTERS = 16;

/** Says in a 402 that an identifier is taken; a buyer may leave it out. */
export const IDENTIFIER_TAKEN = {
  [PAYMENT_IDENTIFIER]: {
    info: { required: false },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        required: { type: 'boolean' },
        id: { type: 'string', minLength: MIN_CHARACTERS, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
      },
      required: ['required'],
    },
  },
} as const;

/** Shorter ones are guessed. */
export const isSecretText = (value: unknown): boolean => typeof value === 'string' && value.length >= MIN_CHARACTERS;

export function hasIdentifier({ extensions }: X402Payment): boolean {
  const extension = extensions?.[PAYMENT_IDENTIFIER] as { readonly info?: { readonly id?: unknown } | null } | null;
  return isSecretText(extension?.info?.id);
}
