// The Solana Pay transaction request of an intent: a wallet app that has scanned the link asks here, and sends what it signs
// by itself. Settlement finds the payment by its reference.
import { findToken, requestTransaction } from '@svc-pay/core';
import {
  type RequestedTransactionBody,
  requestedTransaction,
  type TransactionRequestLabel,
  transactionRequest,
  transactionRequestLabel,
  type WalletRequestRefusal,
  walletRequestRefusal,
} from '@svc-pay/protocol';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import { assetPath } from '../checkout/assets.ts';
import { showToken } from '../checkout/print-amounts.ts';
import type { RouteOutcome } from './outcome.ts';
import { malformed } from './read-body.ts';
import type { PayableCall, PayableRoute, World } from './route.ts';

const PATH = '/pay/solana/{intentId}';

export const labelTransactionRequest: PayableRoute = {
  operationId: 'labelTransactionRequest',
  method: 'GET',
  path: PATH,
  access: 'client_secret',
  forWallets: true,
  summary: 'Who asks a Solana wallet for a payment',
  description:
    'The GET of a Solana Pay transaction request. The address is in the link on the checkout page and has the secret of its ' +
    'intent.',
  responses: {
    200: {
      description: 'What the wallet shows',
      schema: { name: 'TransactionRequestLabel', schema: transactionRequestLabel },
    },
  },
  refusals: ['not_found'],
  async handle({ ports }, { caller, baseUrl }) {
    const label = await ports.findAccountName(caller.accountId);
    if (label === undefined) return { ok: false, code: 'not_found', param: null };
    return say(200, { label, icon: `${baseUrl()}/${assetPath('wallet-icon.svg')}` } satisfies TransactionRequestLabel);
  },
};

export const postTransactionRequest: PayableRoute = {
  operationId: 'requestTransaction',
  method: 'POST',
  path: PATH,
  access: 'client_secret',
  forWallets: true,
  quota: 'chain_reads',
  summary: 'The transaction by which a Solana wallet pays an intent',
  description:
    'The POST of a Solana Pay transaction request. The named account is the only signer, pays the fee of the network, and sends ' +
    'the transaction by itself. The payment is found by the reference in the transaction once it is final, and counts by what it ' +
    'did to balances. May be asked any number of times.',
  body: { name: 'TransactionRequest', schema: transactionRequest },
  responses: {
    200: {
      description: 'What the wallet signs and sends',
      schema: { name: 'RequestedTransaction', schema: requestedTransaction },
    },
    409: {
      description: 'There is nothing for this account to sign; the wallet shows `message`',
      schema: { name: 'WalletRequestRefusal', schema: walletRequestRefusal },
    },
  },
  refusals: ['not_found', 'chain_unavailable'],
  handle: request,
};

async function request({ ports }: World, call: PayableCall): Promise<RouteOutcome> {
  const { caller, intentId, body } = call;
  const read = transactionRequest.safeParse(body);
  if (!read.success) return malformed(read.error, body, transactionRequest);
  const tokenShortcode = call.tokenShortcode ?? '';
  const [made, merchant] = await Promise.all([
    requestTransaction(ports, { caller, intentId, payer: read.data.account, tokenShortcode }),
    ports.findAccountName(caller.accountId),
  ]);
  if (!made.ok && ERRORS[made.code].status !== 200) return { ...made, param: null };
  if (!made.ok) {
    const message = TOLD[made.code] ?? ERRORS[made.code].message;
    return say(409, { error: made.code, message } satisfies WalletRequestRefusal);
  }
  const token = findToken(tokenShortcode);
  const amount = token === undefined ? '' : `${showToken(token, made.amount)} `;
  return say(200, {
    transaction: Buffer.from(made.wire).toString('base64'),
    message: `${amount}to ${merchant ?? 'the merchant'}`,
  } satisfies RequestedTransactionBody);
}

/** For the payer: the wallet shows it as it is. */
const TOLD: Readonly<Partial<Record<ErrorCode, string>>> = {
  intent_not_payable: 'This payment is made, being made, canceled or expired. If you have paid, do not pay again.',
  sender_mismatch: 'This payment can’t be made from this wallet. Choose another one.',
  x402_not_available_for_token: 'This payment can’t be made here at the moment. Ask the merchant for another way.',
};

const say = (status: number, body: object): RouteOutcome => ({
  ok: true,
  answer: { status, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(body) },
  replayed: false,
});
