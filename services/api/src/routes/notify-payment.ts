import {
  type BlockHints,
  blockName,
  chooseBlock,
  findToken,
  type Intent,
  isPayable,
  type NotifiedTransfer,
  PAYMENT_STATUS,
  readNamedBlock,
  type TokenEntry,
} from '@svc-pay/core';
import { type NetworkId, type NotifyResponse, notifyRequest, notifyResponse } from '@svc-pay/protocol';
import { isId } from '@svc-pay/protocol/ids';
import * as z from 'zod/mini';
import type { ApiPorts, IntentSituation } from '../ports.ts';
import { answerJson } from './answer-json.ts';
import type { KeyedRoute } from './route.ts';
import { statusViews } from './status-body.ts';

/**
 * Only the intent id is validated. The other fields are hints of the client, which may be anything and change nothing.
 */
const named = z.looseObject({ paymentIntentId: z.string(), transactionId: z.optional(z.unknown()) });

export const notifyPayment: KeyedRoute = {
  operationId: 'notifyPayment',
  method: 'POST',
  path: '/sdk/public/payments/notify',
  access: 'publishable',
  scope: 'charge',
  quota: 'chain_reads',
  takesClientSecret: true,
  summary: 'Ask for progress',
  description:
    'Answers how the intent stands, and makes sure that somebody is at work on a payment that is under way. What the body ' +
    'says about a transaction is a hint and changes nothing: with the hash of a transaction that the payer sent, the chain ' +
    'reader looks sooner. On the Internet Computer the ledger is asked for the block that `ledgerBlockIndex` (or ' +
    '`canisterTxId`) names, and the answer shows what it means: `refusal` says why it does not pay the intent. May be repeated freely, with or without an idempotency key.',
  body: { name: 'NotifyRequest', schema: notifyRequest },
  responses: {
    200: {
      description: 'The intent and its latest payment',
      schema: { name: 'NotifyResponse', schema: notifyResponse },
    },
  },
  refusals: ['not_found'],
  async handle({ ports }, request) {
    const { caller, body } = request;
    const read = named.safeParse(body);
    if (!read.success) return { ok: false, code: 'malformed_request', param: 'paymentIntentId' };
    const { paymentIntentId: intentId, transactionId } = read.data;
    const situation = isId('paymentIntent', intentId) ? await ports.loadStatus(caller, intentId) : undefined;
    if (situation === undefined) return { ok: false, code: 'not_found', param: null };
    const notified = await notifyOf(ports, request, situation, read.data);
    // Whatever settlement answered, the block may have counted since: by this call, or by the reader meanwhile.
    const { intent, payment } =
      notified === undefined ? situation : ((await ports.loadStatus(caller, situation.intent.id)) ?? situation);
    if (payment?.status === PAYMENT_STATUS.pending) ports.wakeLanes(payment.network);
    if (isPayable(intent, ports.clock.nowMs()) && typeof transactionId === 'string')
      for (const network of readNetworksOf(ports, intent, transactionId)) ports.wakeReader(network);
    const answer: NotifyResponse = {
      paymentIntentId: intent.id,
      paymentId: payment?.id ?? null,
      status: intent.status,
      ...statusViews({ intent, payment }, caller.kind),
      refusal: notified?.outcome === 'refused' ? notified.refusal : null,
    };
    return answerJson(answer);
  },
};

/** Has the block read that the client names; undefined where it names none, or one that is known to have paid the intent. */
async function notifyOf(
  ports: ApiPorts,
  { caller, requestId }: Pick<Parameters<KeyedRoute['handle']>[1], 'caller' | 'requestId'>,
  { intent, payment }: IntentSituation,
  hints: BlockHints,
): Promise<NotifiedTransfer | undefined> {
  const named = readNamedBlock(hints);
  const ledgers = offeredTokens(intent)
    .filter(({ network }) => regularFlowOf(ports, network)?.paysByBlock === true)
    .map(({ address }) => address);
  if (named === undefined || ledgers.length === 0) return undefined;
  const block = chooseBlock(named, ledgers);
  if (block === undefined) return { outcome: 'refused', refusal: 'other_ledger' };
  if (payment?.transactionId === blockName(block)) return undefined;
  return ports.notifyTransfer({ caller, intentId: intent.id, block, requestId });
}

/** The token of the intent, then the others that it is offered in. */
const offeredTokens = ({ tokenShortcode, tokens }: Intent): readonly TokenEntry[] =>
  [tokenShortcode, ...(tokens ?? [])].flatMap((shortcode) => findToken(shortcode) ?? []);

const regularFlowOf = ({ families }: Pick<ApiPorts, 'families'>, network: NetworkId) =>
  families.find((family) => family.owns(network))?.regular;

/** Networks that the intent is offered on and whose reader may find the transaction. */
function readNetworksOf(
  ports: Pick<ApiPorts, 'families'>,
  intent: Intent,
  transactionId: string,
): ReadonlySet<NetworkId> {
  const offered = offeredTokens(intent).map(({ network }) => network);
  const mayHave = (one: NetworkId) => regularFlowOf(ports, one)?.namesTransaction?.(transactionId) === true;
  return new Set([intent.network, ...offered].filter(mayHave));
}
