// The order of a protected request: verify, handler, settle, answer. The handler runs once for a payment, and its body
// leaves only after the payment settled.
import { PAYMENT_RESPONSE_HEADER, V1_PAYMENT_RESPONSE_HEADER, type X402SettleAnswer } from '@svc-pay/protocol/x402';
import type { TellProblem } from '../facilitator/tell-problem.ts';
import {
  crossOriginHeaders,
  type HeaderList,
  type HttpAnswer,
  jsonAnswer,
  type RequestFacts,
  unshared,
  withHeaders,
} from './answer.ts';
import type { AnswerStore, HandedAnswer, KeptRequest, Outcome } from './answer-store.ts';
import { base64OfJson } from './base64-json.ts';
import { meterOf } from './charge.ts';
import { hasIdentifier, isSecretText } from './payment-identifier.ts';
import { type PresentedPayment, presentedPayment } from './presented-payment.ts';
import { unavailableAnswer } from './unavailable-answer.ts';
import type { SettleOutcome, TakenPayment, WayToPay } from './way-to-pay.ts';

export type ProtectDeps = {
  readonly way: WayToPay;
  readonly store: AnswerStore;
  readonly tell: TellProblem;
};

export type ProtectedCall = {
  readonly facts: RequestFacts;
  /** The object that the handler knows as its request. */
  readonly request: object;
  /** Runs the handler and keeps its answer back. */
  readonly run: () => Promise<HttpAnswer>;
};

type Taken = Extract<TakenPayment, { ok: true }>;

export async function protectRequest(deps: ProtectDeps, call: ProtectedCall): Promise<HandedAnswer> {
  const { way, store } = deps;
  const { facts } = call;
  const ticket = new URL(facts.url).searchParams.get(TICKET);
  if (ticket !== null) return (await store.answerTicket(ticket)) ?? unkept(unknownTicket());
  const presented = presentedPayment(facts);
  if (presented === undefined) return unkept(await way.challenge(facts));
  if (!presented.ok) return unkept(await way.challenge(facts, presented.message));
  const handed = await store.answer(await keptRequest(facts, presented), async () => {
    const taken = await way.take(facts, presented);
    if (taken.ok) return { ok: true, serve: () => serve(deps, call, presented, taken) };
    return { ok: false, answer: await refusal(way, facts, taken) };
  });
  return handed ?? unkept(inUse());
}

const unkept = (answer: HttpAnswer): HandedAnswer => ({ answer, arrived: () => {} });
const over = (answer: HttpAnswer): Outcome => ({ answer, keptBytes: answer.body.length });

async function serve(
  deps: ProtectDeps,
  { facts, request, run }: ProtectedCall,
  presented: PresentedPayment,
  taken: Taken,
): Promise<Outcome> {
  const chargeOf = meterOf(request, taken.capUsd);
  let handled: HttpAnswer;
  try {
    handled = await run();
  } catch (error) {
    await taken.release();
    throw error;
  }
  const chargeUsd = chargeOf();
  if (handled.status >= 400 || chargeUsd === 0n) {
    await taken.release();
    return over(unshared(handled));
  }
  if (taken.capUsd !== undefined && chargeUsd === undefined) {
    await taken.release();
    deps.tell({ step: 'charge', message: `${facts.method} ${facts.url}: the handler called no charge()` });
    return over(jsonAnswer(500, { error: 'no_charge_reported' }, crossOriginHeaders(handled)));
  }
  const keptBytes = handled.body.length;
  const ticket = crypto.randomUUID();
  const conclude = async (): Promise<Outcome> => {
    const outcome = await taken.settle(chargeUsd);
    const headers = [...crossOriginHeaders(handled), ...receiptHeaders(presented, outcome.receipt)];
    if (outcome.status === 'paid')
      return { answer: unshared(handled, receiptHeaders(presented, outcome.receipt)), isPaid: true, keptBytes };
    deps.tell({ step: 'settle', message: problemOf(outcome) });
    if (outcome.status === 'pending')
      return {
        answer: pendingAnswer(facts, ticket, outcome.receipt, headers),
        keptBytes,
        pending: { ticket, resume: conclude },
      };
    if (outcome.status === 'in_use') return over(inUse(headers));
    const { errorMessage, errorReason } = outcome.receipt;
    return over(withHeaders(await deps.way.challenge(facts, errorMessage ?? errorReason), headers));
  };
  return conclude();
}

function receiptHeaders({ payment }: PresentedPayment, receipt: X402SettleAnswer): HeaderList {
  const name = payment.version === 1 ? V1_PAYMENT_RESPONSE_HEADER : PAYMENT_RESPONSE_HEADER;
  return [[name, base64OfJson(receipt)]];
}

const problemOf = ({ status, receipt }: SettleOutcome) =>
  `the settlement is ${status}: ${receipt.errorReason ?? 'no reason'} ${receipt.errorMessage ?? ''}`.trim();

/** The part of a status address that lets its holder have the answer, without a payment. */
const TICKET = 'x402_ticket';

/**
 * Never a 402: a buyer that sees one signs again and pays twice. The address is the request's own with a ticket: the same
 * request there asks how the settlement stands, and has the handler's answer once it is paid. A published client that asks
 * there signs nothing, as no 402 comes.
 */
function pendingAnswer(
  { url }: RequestFacts,
  ticket: string,
  { transaction }: X402SettleAnswer,
  headers: HeaderList,
): HttpAnswer {
  const address = new URL(url);
  address.searchParams.set(TICKET, ticket);
  const statusUrl = address.href;
  const message = 'The payment is pending. Send the request to statusUrl, without a payment; do not sign another one.';
  const body = { error: 'settlement_pending', message, transaction, statusUrl };
  return jsonAnswer(202, body, [...headers, ['location', statusUrl], ['retry-after', '5']]);
}

function unknownTicket(): HttpAnswer {
  const message = 'Nothing is kept here for this address. Ask the seller about the payment; do not sign another one.';
  return jsonAnswer(409, { error: 'ticket_unknown', message });
}

function inUse(headers: HeaderList = []): HttpAnswer {
  const message = 'This payment is spent, or another request has it. It is not taken twice.';
  return jsonAnswer(409, { error: 'payment_in_use', message }, headers);
}

async function refusal(
  way: WayToPay,
  facts: RequestFacts,
  { reason, message }: Extract<TakenPayment, { ok: false }>,
): Promise<HttpAnswer> {
  if (reason === 'invalid') return way.challenge(facts, message);
  if (reason === 'in_use') return inUse();
  return unavailableAnswer();
}

/** They tell one buyer from another, but the same one may stand for all of them. The body is left to the handler. */
const BUYER_HEADERS = ['authorization', 'cookie'] as const;

async function keptRequest({ method, url, header }: RequestFacts, presented: PresentedPayment): Promise<KeptRequest> {
  const { payment, encoded } = presented;
  const idempotencyKey = String(header('idempotency-key') ?? '');
  const isSecret = hasIdentifier(payment);
  const ofBuyer = isSecret ? [] : [idempotencyKey, ...BUYER_HEADERS.map((name) => String(header(name) ?? ''))];
  const text = new TextEncoder().encode(JSON.stringify([method, url, encoded, ...ofBuyer]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return { key: btoa(String.fromCharCode(...digest)), hasSecret: isSecret || isSecretText(idempotencyKey) };
}
