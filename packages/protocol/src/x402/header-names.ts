// Names of the headers of x402, in lower case as Node and fetch give them.

/** Version 2: what may be paid, how it was paid, and what came of it. */
export const PAYMENT_REQUIRED_HEADER = 'payment-required';
export const PAYMENT_SIGNATURE_HEADER = 'payment-signature';
export const PAYMENT_RESPONSE_HEADER = 'payment-response';

/** Version 1, whose challenge is the body of the answer. */
export const V1_PAYMENT_HEADER = 'x-payment';
export const V1_PAYMENT_RESPONSE_HEADER = 'x-payment-response';
