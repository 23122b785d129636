import type { NowMs } from '../clock.ts';

export type SellerOptions = {
  /** Where the API answers, such as `https://pay.example.com`. Plain http is for test keys and this machine. */
  readonly baseUrl: string;
  readonly secretKey: string;
  /** Sent as `x-account-id`, so that a key of another account is refused. `protect({ upTo })` needs it. */
  readonly accountId?: string;
  /** Offer payment on these networks only, such as `['eip155:8453']`; all that the account is paid on when left out. */
  readonly networks?: readonly string[];
  /** Per attempt; 90,000 when left out. The service holds a settle for up to 60 s before it says that it is pending. */
  readonly timeoutMs?: number;
  /** Told of what a buyer is not told: the service is out of reach, refuses the key, or a settlement failed. */
  readonly onProblem?: (problem: SellerProblem) => void;
  readonly fetch?: typeof fetch;
  readonly pause?: (ms: number) => Promise<void>;
  readonly nowMs?: NowMs;
};

export type SellerProblem = {
  readonly step: 'supported' | 'verify' | 'settle' | 'challenge' | 'confirm' | 'release' | 'charge';
  /** A sentence for the seller's log. Has no key and no signature in it. */
  readonly message: string;
};
