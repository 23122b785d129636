/** Validity of a payer's signature on an exact EVM payment. */
export const EXACT_TIMEOUT_SECONDS = 300;

/** Time that an intent waits for its payer. The signature's own window starts at signing, not here. */
export const INTENT_LIFETIME_SECONDS = 86_400;
