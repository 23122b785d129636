// Which acceptance is paid, and by which transaction. The service prepares one with the intent for every token the payer
// can afford; it is asked for another when there is none, when it has grown old, and when another account pays after all.
import type { Acceptance } from '@svc-pay/protocol';
import { SvcPayError } from '../error/svc-pay-error.ts';
import type { PreparedTransaction, SigningCall } from '../wallet.ts';
import { checkTransaction, payerOf } from './check-transaction.ts';

export type SettledOn = { readonly acceptance: Acceptance; readonly wire: Uint8Array };

/** A blockhash lives for about a minute, and a person reads before signing. */
const FRESH_SECONDS = 15;

/** Those that the service has looked at and prepared: the payer holds enough. */
export const affordable = (acceptances: readonly Acceptance[]): readonly Acceptance[] =>
  acceptances.filter(({ extra }) => typeof extra?.['transactionBase64'] === 'string');

export type Choice = {
  readonly acceptances: readonly Acceptance[];
  /** Undefined: whichever can be paid. */
  readonly chosen: Acceptance | undefined;
  readonly payer: string;
  /** When the acceptances came, by the service's clock. */
  readonly offeredAtSeconds: number;
};

/** Throws `acceptance_refused` for a transaction that does anything else than was agreed. */
export async function settleOnTransaction(
  { acceptances, chosen, payer, offeredAtSeconds }: Choice,
  call: SigningCall,
): Promise<SettledOn> {
  const wanted = chosen ?? affordable(acceptances)[0];
  const offered = wanted && offeredWith(wanted);
  const isFresh = call.nowSeconds() - offeredAtSeconds < FRESH_SECONDS;
  if (wanted !== undefined && offered !== undefined && isFresh && payerOf(offered.transactionBase64) === payer)
    return checked(wanted, offered, payer, call);
  return prepareFirst(chosen === undefined ? acceptances : [chosen], payer, call);
}

/** The first one that the payer can afford; what the service says of the first stands for all when there is none. */
async function prepareFirst(acceptances: readonly Acceptance[], payer: string, call: SigningCall): Promise<SettledOn> {
  let refusal = new SvcPayError('no_usable_acceptance');
  for (const [index, acceptance] of acceptances.entries()) {
    try {
      return checked(acceptance, await call.prepare(acceptance, payer), payer, call);
    } catch (problem) {
      if (!(problem instanceof SvcPayError) || problem.code !== 'insufficient_funds') throw problem;
      if (index === 0) refusal = problem;
    }
  }
  throw refusal;
}

function checked(
  acceptance: Acceptance,
  { transactionBase64, feePayer }: Omit<PreparedTransaction, 'feePayer'> & { readonly feePayer: string | undefined },
  payer: string,
  { paymentIntentId }: SigningCall,
): SettledOn {
  const { asset, payTo, maxAmountRequired } = acceptance;
  const result = checkTransaction(transactionBase64, {
    payer,
    feePayer,
    mint: asset ?? '',
    amountAtomic: BigInt(maxAmountRequired),
    payTo,
    paymentIntentId,
  });
  if (!result.ok) throw new SvcPayError('acceptance_refused', { reason: result.difference });
  return { acceptance, wire: result.wire };
}

function offeredWith({ extra }: Acceptance) {
  const { transactionBase64, feePayer } = extra ?? {};
  if (typeof transactionBase64 !== 'string') return undefined;
  return { transactionBase64, feePayer: typeof feePayer === 'string' ? feePayer : undefined };
}
