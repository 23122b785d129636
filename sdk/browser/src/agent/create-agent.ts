// A fetch that pays. Order of every payment: judge the offer, ask for approval, reserve in the store, sign, record the
// signature, send. A crash between any two of them leaves a record that the next call releases, if nothing was signed, or
// goes on from.
import { type Ports, systemPorts } from '../ports.ts';
import type { Agent, AgentOptions, AgentSpending, PaidRequest } from './agent.ts';
import { AgentPayError } from './agent-error.ts';
import { agentTokens } from './agent-tokens.ts';
import { chooseOffer } from './choose-offer.ts';
import { exchange } from './exchange.ts';
import { foreignHost } from './foreign-host.ts';
import { readLimits, unitsIn } from './limits.ts';
import { presentPayment } from './present-payment.ts';
import { type AuthorizationUse, readAuthorizationUse } from './read-authorization.ts';
import { readChallenge } from './read-challenge.ts';
import { type AgentRequest, readRequest, shownAddress } from './request.ts';
import { draftPayment, signPayment } from './sign-payment.ts';
import {
  type AgentPayment,
  type BookChange,
  countingDay,
  dayOf,
  paymentOf,
  recordAnswer,
  recordDelivery,
  recordSignature,
  recordUse,
  releaseUnsigned,
  releaseUnused,
  reserve,
  type SpendBook,
  spentOn,
} from './spend-book.ts';
import { printUnits } from './units.ts';
import { watchBody } from './watch-body.ts';

type Paying = Awaited<ReturnType<Agent['pay']>>;

const DEFAULT_WINDOW_SECONDS = 600;
const DEFAULT_TIMEOUT_MS = 100_000;
const DEFAULT_SENDS = 3;

export function createAgent(options: AgentOptions): Agent {
  const { signer, store, approve, maxSends = DEFAULT_SENDS, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const limits = readLimits(options.limits);
  const approveAbove = approve === undefined ? undefined : unitsIn(approve.above, 'approve.above');
  const findToken = agentTokens(options.tokens ?? []);
  const ports: Ports = { ...systemPorts, ...options.ports };
  const judge = {
    findToken,
    payer: signer.address,
    maxWindowSeconds: options.maxWindowSeconds ?? DEFAULT_WINDOW_SECONDS,
  };
  const turns = new Map<string, Promise<unknown>>();

  /** Equal requests of one process go one after another, so that the second meets the first one's result. */
  async function inTurn<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const before = turns.get(key);
    const turn = (before ?? Promise.resolve()).then(work, work);
    turns.set(key, turn);
    try {
      return await turn;
    } finally {
      if (turns.get(key) === turn) turns.delete(key);
    }
  }

  async function pay(input: string | URL | Request, init?: RequestInit) {
    const request = await readRequest(input, init, options.allowHttp ?? false);
    return inTurn(request.key, () => payInTurn(request));
  }

  async function payInTurn(request: AgentRequest) {
    const known = await update((book) => ({ book, result: paymentOf(book, request.key) }));
    const live = known === undefined ? undefined : await stillLive(request, known);
    if (live !== undefined) return present(request, live, true);
    const exchanged = await exchange(request, undefined, { ports, timeoutMs });
    if (exchanged.kind !== 'answer') {
      const cause = exchanged.kind === 'lost' ? exchanged.cause : undefined;
      throw new AgentPayError(request.signal.aborted ? 'aborted' : 'seller_unreachable', { cause });
    }
    const { response } = exchanged;
    if (response.status !== 402) return { response, paid: undefined };
    return payChallenge(request, response);
  }

  async function payChallenge(request: AgentRequest, response: Response) {
    const { origin, host } = request.url;
    if (response.url !== '' && new URL(response.url).origin !== origin)
      throw new AgentPayError('redirected', { reason: new URL(response.url).origin });
    if (!request.isRepeatable) {
      await response.body?.cancel().catch(() => undefined);
      throw new AgentPayError('invalid_request', { reason: 'a form is other bytes at every call: give text or bytes' });
    }
    const challenge = await readChallenge(response, { ports, timeoutMs });
    const chosen = chooseOffer(challenge, judge);
    if (!chosen.ok) throw new AgentPayError('nothing_payable', { reason: chosen.reasons.join('; ').slice(0, 1_000) });
    const { offer } = chosen;
    const foreign = options.allowOtherResource === true ? undefined : foreignHost(challenge, offer.raw, request.url);
    if (foreign !== undefined)
      throw new AgentPayError('nothing_payable', { reason: `resource names the host ${foreign.slice(0, 200)}` });
    if (approve !== undefined && approveAbove !== undefined && offer.units > approveAbove) {
      const { network, asset, payTo, amountAtomic } = offer;
      const amount = printUnits(offer.units);
      const url = shownAddress(request.url);
      const asked = { url, method: request.method, host, network, asset, payTo, amount, amountAtomic };
      // Untyped callers answer with anything.
      const answer: unknown = await approve.ask(asked);
      if (answer !== true) throw new AgentPayError('not_approved', { reason: amount });
    }
    // Drafted now: the answer of a person takes its time, and the draft has the signature's day and end.
    return reserveAndPresent(request, draftPayment(request, challenge, offer, { payer: signer.address, ports }));
  }

  async function reserveAndPresent(request: AgentRequest, draft: AgentPayment): Promise<Paying> {
    const reserved = await update((book) => reserve(book, request.key, draft, limits));
    if (reserved.kind === 'existing') {
      const live = await stillLive(request, reserved.payment);
      return live === undefined ? reserveAndPresent(request, draft) : present(request, live, true);
    }
    if (reserved.kind === 'reserved') return present(request, reserved.payment, false);
    if (reserved.kind === 'host_not_allowed') throw new AgentPayError('host_not_allowed', { reason: draft.host });
    const { kind, leftUnits, day } = reserved;
    const reason = `asked ${printUnits(BigInt(draft.units))}, left ${printUnits(leftUnits)}`;
    const late = day === draft.day ? '' : ` on ${day}: the clock is behind the record`;
    throw new AgentPayError(kind, { reason: reason + late });
  }

  async function present(request: AgentRequest, payment: AgentPayment, isRepeat: boolean) {
    const { key } = request;
    const signed = await signedOf(key, payment);
    const { header, headerName, authorization, id } = signed;
    if (header === undefined) throw new AgentPayError('store_failed', { reason: 'the signature is not recorded' });
    const validBeforeMs = Number(authorization.validBefore) * 1_000;
    const options = { ports, timeoutMs, maxSends, validBeforeMs };
    const { response, receipt } = await presentPayment(request, { name: headerName, value: header }, options);
    const transaction = receipt?.transaction;
    const { network, asset } = signed;
    const { to: payTo, from: payer, nonce } = authorization;
    const amount = printUnits(BigInt(signed.units));
    const paid: PaidRequest = { amount, network, asset, payTo, payer, nonce, isRepeat, transaction };
    // A refused request may be repeated with the same payment, so the record stays as it is.
    if (response.status >= 400) return { response, paid };
    const deliver = () => update((book) => recordDelivery(book, key, id)).catch(() => undefined);
    if (response.body === null) await deliver();
    else await update((book) => recordAnswer(book, key, id, transaction)).catch(() => undefined);
    return { response: watchBody(response, deliver), paid };
  }

  /** The payment with its signature, made now unless it is recorded. */
  async function signedOf(key: string, payment: AgentPayment): Promise<AgentPayment> {
    if (payment.header !== undefined) return payment;
    let header: string;
    try {
      header = await signPayment(signer, payment);
    } catch (problem) {
      await update((book) => releaseUnsigned(book, key, payment.id));
      throw problem;
    }
    const signed = await update((book) => recordSignature(book, key, payment.id, header));
    // Another process gave the reservation up meanwhile: what was signed here is never sent.
    if (signed === undefined)
      throw new AgentPayError('signer_failed', { reason: 'another process gave the reservation up: call again' });
    return signed;
  }

  /** The payment, if it can still be presented; undefined if the request is free to be paid; throws if neither. */
  async function stillLive(request: AgentRequest, payment: AgentPayment): Promise<AgentPayment | undefined> {
    const { key } = request;
    const { id, header, stage, transaction, authorization } = payment;
    // Never sent, so nothing forces its amount on this call: limits, approval and signer may be others by now.
    if (header === undefined) {
      await update((book) => releaseUnsigned(book, key, id));
      return undefined;
    }
    if (payment.requestHash !== request.requestHash)
      throw new AgentPayError('invalid_request', {
        reason: 'its Idempotency-Key is taken by a request with another method, address or body',
      });
    const told = transaction === undefined ? {} : { transaction };
    if (stage === 'used') throw new AgentPayError('already_paid', { moneyMoved: 'yes', ...told });
    if (ports.nowMs() < Number(authorization.validBefore) * 1_000) return payment;
    if (stage === 'delivered') throw new AgentPayError('already_paid', { moneyMoved: 'yes', ...told });
    const use = await askChain(key, payment);
    if (use === 'unused') return undefined;
    if (use === 'used') throw new AgentPayError('already_paid', { moneyMoved: 'yes', ...told });
    const reason =
      use === 'open' ? 'its end is not final on the chain yet, try again later' : `nonce ${authorization.nonce}`;
    throw new AgentPayError('payment_expired', { moneyMoved: 'unknown', reason, ...told });
  }

  async function askChain(key: string, payment: AgentPayment): Promise<AuthorizationUse> {
    const rpcUrl = options.rpcUrls?.[payment.network];
    if (rpcUrl === undefined) return 'unknown';
    const use = await readAuthorizationUse(ports, rpcUrl, payment);
    if (use === 'used') await update((book) => recordUse(book, key, payment.id));
    if (use === 'unused') await update((book) => releaseUnused(book, key, payment.id));
    return use;
  }

  async function reconcile() {
    const counts: Record<AuthorizationUse, number> = { used: 0, unused: 0, open: 0, unknown: 0 };
    const payments = await update((book) => ({ book, result: Object.entries(book.payments) }));
    for (const [key, payment] of payments) {
      const isOver = ports.nowMs() >= Number(payment.authorization.validBefore) * 1_000;
      if (!isOver || (payment.stage !== 'signed' && payment.stage !== 'answered')) continue;
      counts[await askChain(key, payment)] += 1;
    }
    return counts;
  }

  async function spending(asked?: string): Promise<AgentSpending> {
    const { day, total, hosts } = await update((book) => {
      const day = asked ?? countingDay(book, dayOf(ports.nowMs()));
      return { book, result: { day, ...spentOn(book, day) } };
    });
    return {
      day,
      total: printUnits(total),
      hosts: Object.fromEntries([...hosts].map(([host, units]) => [host, printUnits(units)])),
    };
  }

  async function update<Result>(change: (book: SpendBook) => BookChange<Result>): Promise<Result> {
    try {
      return await store.update(change);
    } catch (cause) {
      throw new AgentPayError('store_failed', { cause, ...(cause instanceof Error && { reason: cause.message }) });
    }
  }

  return { pay, fetch: async (input, init) => (await pay(input, init)).response, spending, reconcile };
}
