// The service as a facilitator: the interface `FacilitatorClient` of `@x402/core/server` with the account's key filled in,
// and the addresses that the account is paid to.

import {
  DUPLICATE_SETTLEMENT,
  SETTLEMENT_PENDING,
  type X402SettleAnswer,
  type X402Supported,
  x402SettleAnswer,
  x402Supported,
  x402VerifyAnswer,
} from '@svc-pay/protocol/x402';
import { createSvcPay } from '@svc-pay/server';
import { systemNowMs } from '../clock.ts';
import { facilitatorCalls } from './call-facilitator.ts';
import type { SellerOptions } from './seller-options.ts';
import { type SoldToken, soldTokensOf } from './sold-token.ts';
import { problemTeller } from './tell-problem.ts';

/** As `@x402/core` writes network names. */
type NetworkName = `${string}:${string}`;

/** Objects of x402, version 1 or 2, as a stock resource server hands them on. */
export type StockPayload = { readonly x402Version: number };
export type StockRequirements = { readonly network: string };

export type FacilitatorSupported = {
  kinds: { x402Version: number; scheme: string; network: NetworkName; extra?: Record<string, unknown> }[];
  extensions: string[];
  signers: Record<string, string[]>;
};

export type FacilitatorVerified = {
  isValid: boolean;
  invalidReason?: string;
  invalidMessage?: string;
  payer?: string;
};

export type FacilitatorSettled = {
  success: boolean;
  /** Empty while there is none. */
  transaction: string;
  network: NetworkName;
  payer?: string;
  amount?: string;
  errorReason?: string;
  errorMessage?: string;
  extensions?: Record<string, unknown>;
};

/** Can be given wherever `@x402/core/server` takes a `FacilitatorClient`. */
export type Facilitator = {
  /** Throws when the service is out of reach or refuses the key. */
  readonly getSupported: () => Promise<FacilitatorSupported>;
  /** Throws when the service is out of reach or refuses the key. A payment that is not valid is an answer. */
  readonly verify: (payload: StockPayload, requirements: StockRequirements) => Promise<FacilitatorVerified>;
  /** Never throws: without an answer the settlement is pending, as money may have moved. Call again to learn more. */
  readonly settle: (payload: StockPayload, requirements: StockRequirements) => Promise<FacilitatorSettled>;
  /** Tokens worth a dollar that the account is paid in, and where to. Asked once a minute. */
  readonly soldTokens: () => Promise<readonly SoldToken[]>;
  /** For `payTo` of a stock route: `payTo: facilitator.payToOn('eip155:8453')`. Throws where the account has no address. */
  readonly payToOn: (network: string) => () => Promise<string>;
};

/** A wallet that is replaced is offered for so long after its end; payments to it are refused, and nothing is lost. */
const SUPPORTED_LIFE_MS = 60_000;

/** Sends nothing yet. Throws a TypeError for an address or key that can't be one. */
export function createFacilitator(options: SellerOptions): Facilitator {
  const { baseUrl, secretKey, accountId, networks, nowMs = systemNowMs } = options;
  const tell = problemTeller(options);
  // Checks address and key, and refuses a live key over http.
  createSvcPay({ baseUrl, secretKey, ...(accountId !== undefined && { accountId }) });
  const call = facilitatorCalls(options);
  let supported: { readonly untilMs: number; readonly answer: Promise<X402Supported> } | undefined;

  async function ask(): Promise<X402Supported> {
    const reply = await call('supported', x402Supported);
    if (reply.ok) return reply.value;
    supported = undefined;
    tell({ step: 'supported', message: reply.message });
    throw new Error(reply.message);
  }
  function cached(): Promise<X402Supported> {
    if (supported === undefined || supported.untilMs <= nowMs())
      supported = { untilMs: nowMs() + SUPPORTED_LIFE_MS, answer: ask() };
    return supported.answer;
  }
  const bodyOf = (payload: StockPayload, requirements: StockRequirements) => ({
    x402Version: payload.x402Version,
    paymentPayload: payload,
    paymentRequirements: requirements,
  });
  const soldTokens = async () => soldTokensOf(await cached(), networks);

  return {
    getSupported: async () => (await ask()) as FacilitatorSupported,
    verify: async (payload, requirements) => {
      const reply = await call('verify', x402VerifyAnswer, bodyOf(payload, requirements));
      if (reply.ok) return reply.value as FacilitatorVerified;
      tell({ step: 'verify', message: reply.message });
      throw new Error(reply.message);
    },
    settle: async (payload, requirements) => {
      const reply = await call('settle', x402SettleAnswer, bodyOf(payload, requirements));
      if (reply.ok) return (reply.afterSilence ? withoutOwnDuplicate(reply.value) : reply.value) as FacilitatorSettled;
      tell({ step: 'settle', message: reply.message });
      if (reply.value !== undefined && !reply.later) return reply.value as FacilitatorSettled;
      return {
        success: false,
        transaction: '',
        network: requirements.network as NetworkName,
        errorReason: SETTLEMENT_PENDING,
        errorMessage: reply.message,
      };
    },
    soldTokens,
    payToOn: (network) => async () => {
      const found = (await soldTokens()).find((token) => token.network === network);
      if (found === undefined) throw new Error(`the account is not paid on ${network}`);
      return found.payTo;
    },
  };
}

/**
 * The verify leased the payment to this seller. A settle whose earlier attempt had no answer is a duplicate of that attempt,
 * which settled the payment.
 */
function withoutOwnDuplicate(answer: X402SettleAnswer): X402SettleAnswer {
  const { errorReason, errorMessage: _, ...told } = answer;
  return errorReason === DUPLICATE_SETTLEMENT && told.transaction !== '' ? { ...told, success: true } : answer;
}
