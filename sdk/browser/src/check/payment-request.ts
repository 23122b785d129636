/** What a page asks for. One of the two amounts; a token by its shortcode, or any that the account offers. */
export type PaymentRequest = {
  /** Dollars, as decimal text such as `'12.50'` or as a number. */
  readonly usdAmount?: string | number;
  /** Digits: the token's smallest unit. */
  readonly amount?: string;
  /** Such as `base_usdc`. */
  readonly tokenShortcode?: string;
  readonly description?: string;
  readonly resource?: string;
  /** Any JSON object; comes back in webhooks. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The address that must pay, when it is known. */
  readonly expectedSenderPrincipal?: string;
  /** Deprecated: use `tokenShortcode`. */
  readonly symbol?: string;
  /** Deprecated: use `tokenShortcode`. */
  readonly ledgerCanisterId?: string;
  /** Deprecated: use `tokenShortcode`. */
  readonly chainId?: string | number;
  /** What the page knows by itself. An acceptance that says otherwise is never signed. */
  readonly expect?: Expectation;
};

export type UptoRequest = PaymentRequest & {
  /** How long the signature is to be good for; a day unless told. */
  readonly maxTimeoutSeconds?: number;
};

/** An intent that the merchant's server created, in the place of amount and key. The page says no amount: the server did. */
export type IntentToPay = {
  readonly paymentIntentId: string;
  /** `clientSecret` of the answer that created the intent. It pays and follows this one intent, and does nothing else. */
  readonly clientSecret: string;
  /** What the page knows by itself. An acceptance that says otherwise is never signed. */
  readonly expect?: Expectation;
};

/** Each part that is given is held against the acceptance before the wallet is asked. */
export type Expectation = {
  /**
   * Who may be paid, for those who know it: the processor's address, or the merchant's own wallet where payments go there
   * directly. Several where both are in use, or several chains.
   */
  readonly payTo?: string | readonly string[];
  /** Address of the token. */
  readonly asset?: string;
  /** `eip155:8453` or `8453`. */
  readonly network?: string;
  /** Token that the page shows, such as `base_usdc`: in the place of asset and network. For an intent of the server. */
  readonly tokenShortcode?: string;
  /** Dollars that the page shows, held against acceptances in tokens that cost one dollar. For an intent of the server. */
  readonly usdAmount?: string | number;
  /** Digits: at most this much of the token's smallest unit. The way to bound a token whose price moves. */
  readonly maxAmount?: string;
  /** The signature may be good for at most so long; an hour for a payment, seven days for an up-to one, unless told. */
  readonly maxTimeoutSeconds?: number;
};
