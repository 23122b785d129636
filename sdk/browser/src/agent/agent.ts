// What an agent is given and what it gives.
import type { Ports } from '../ports.ts';
import type { AgentToken } from './agent-tokens.ts';
import type { AgentLimits } from './limits.ts';
import type { AuthorizationUse } from './read-authorization.ts';
import type { AgentSigner } from './sign-payment.ts';
import type { SpendStore } from './spend-store.ts';

/** A payment that is about to be signed. */
export type PaymentProposal = {
  /** Without the secret of a payable address. */
  readonly url: string;
  readonly method: string;
  readonly host: string;
  readonly network: string;
  readonly asset: string;
  readonly payTo: string;
  /** As limits count it: `'0.10'`. */
  readonly amount: string;
  readonly amountAtomic: string;
};

export type AgentOptions = {
  readonly signer: AgentSigner;
  readonly limits: AgentLimits;
  /** Keeps the limits over restarts, and between processes that share it. */
  readonly store: SpendStore;
  /** Asked for every payment above the amount; anything but true refuses it. */
  readonly approve?: { readonly above: string; readonly ask: (proposal: PaymentProposal) => Promise<boolean> };
  /** Tokens to pay in beside USDC. */
  readonly tokens?: readonly AgentToken[];
  /** A node for each network (`eip155:8453`): asked whether an expired payment was used. */
  readonly rpcUrls?: Readonly<Record<string, string>>;
  /** Longest time that a signature is good for, whatever the seller asks. Default 600. */
  readonly maxWindowSeconds?: number;
  /** How long the head of an answer may take. Default 100,000; stock sellers settle within 90,000. */
  readonly timeoutMs?: number;
  /** How often one call sends a payment whose answer is lost or refused. Default 3. */
  readonly maxSends?: number;
  /** True pays http addresses of other machines. Whoever is on the way can then change the recipient. */
  readonly allowHttp?: boolean;
  /** True pays a 402 that names a resource of another host. */
  readonly allowOtherResource?: boolean;
  readonly ports?: Partial<Ports>;
};

/** What a call paid, or presented again. */
export type PaidRequest = {
  readonly amount: string;
  readonly network: string;
  readonly asset: string;
  readonly payTo: string;
  readonly payer: string;
  readonly nonce: string;
  /** True when an earlier call signed it. */
  readonly isRepeat: boolean;
  /** As the seller names it. */
  readonly transaction: string | undefined;
};

export type AgentSpending = {
  readonly day: string;
  readonly total: string;
  readonly hosts: Readonly<Record<string, string>>;
};

export type Agent = {
  /** As the platform's fetch, and pays a 402. Throws `AgentPayError`. Read the answer to its end, or cancel its body. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** As `fetch`, with what was paid; undefined when the seller asked for nothing. */
  readonly pay: (
    input: string | URL | Request,
    init?: RequestInit,
  ) => Promise<{ readonly response: Response; readonly paid: PaidRequest | undefined }>;
  /** What counts for a day of UTC, by default the one that counts now: signed payments, whether or not they succeeded. */
  readonly spending: (day?: string) => Promise<AgentSpending>;
  /** Asks the nodes about every expired payment without an answer; an unused one counts no longer. */
  readonly reconcile: () => Promise<Readonly<Record<AuthorizationUse, number>>>;
};
