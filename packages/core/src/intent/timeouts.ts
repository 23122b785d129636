/** How long a payer's signature on an exact EVM payment should be valid. */
export const EXACT_TIMEOUT_SECONDS = 300;

/** How long an intent waits for its payer. The signature's own window is counted from signing, not from here. */
export const INTENT_LIFETIME_SECONDS = 86_400;

/** How long a prepared transaction should be expected to be good: its blockhash lives for 150 blocks. */
export const TRANSFER_TIMEOUT_SECONDS = 60;
