// The regular flow on the Internet Computer: one ICRC-1 transfer, with the memo and the time that the service fixed for the
// intent. A ledger answers a repeat of it with `Duplicate` and the first transfer's block, so a repeat of one account pays once.
import type { Icrc1TransferOption, RegularOption } from '@svc-pay/protocol';
import { base64FromBytes } from '@svc-pay/protocol/icp';
import { sendingProblem } from '../ask/sending-problem.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import { haltIfAborted } from '../http/race.ts';
import type { RegularCall, RegularPayment, WalletCall } from '../wallet.ts';
import { askSigner } from './ask-signer.ts';
import { decodeTransferResult, encodeTransfer, type TransferResult } from './candid.ts';
import { connectSigner, type Payer } from './connect-signer.ts';
import { readAnswer } from './read-answer.ts';
import { readOption, type TransferTerms } from './read-option.ts';
import type { IcpSigner } from './signer.ts';

const METHOD = 'icrc1_transfer';
const OTHER_CALL = 'contentMap';

export async function payByTransfer(
  offered: readonly RegularOption[],
  { signer, wanted }: { readonly signer: IcpSigner; readonly wanted: string | undefined },
  call: RegularCall,
): Promise<RegularPayment> {
  const option = offered.find((one): one is Icrc1TransferOption => one.kind === 'icrc1_transfer');
  if (option === undefined) throw new SvcPayError('no_usable_acceptance');
  const { network, token, amount, expiresAt } = option;
  const transfer = readOption(option, call.intentCode);
  const payer = await connectSigner(signer, wanted, call);
  const terms = { payer: payer.account, network, asset: token, amount };
  const send = async (fee: bigint): Promise<TransferResult | undefined> => {
    const ask = () => sendTransfer(signer, payer, { ...transfer, fee, ledgerId: token }, call);
    const ready = () => call.beforePay({ ...terms, expiresAt });
    await ready();
    return ask().catch((problem: unknown) => {
      if (!isAnswerLost(problem)) throw problem;
      return askAgain(ask, ready, problem);
    });
  };
  let result = await send(transfer.fee);
  // Nothing was recorded, so the same transfer with the ledger's own fee is the first one.
  if (result !== undefined && 'error' in result && result.error === 'BadFee' && result.expectedFee !== undefined)
    result = await send(result.expectedFee);
  if (result !== undefined && 'error' in result) throw refusalOf(result);
  const transactionId = result === undefined ? null : `${token}:${result.block}`;
  // A block of a ledger is final.
  return { ...terms, transactionId, reverted: async () => false };
}

/** The signer failed after it was asked: the transfer may have been made. */
const isAnswerLost = (problem: unknown): boolean =>
  problem instanceof SvcPayError &&
  problem.code === 'wallet_failed' &&
  problem.moneyMoved === 'unknown' &&
  problem.reason !== OTHER_CALL;

/**
 * The same transfer to the byte, once: one that was made already is a `Duplicate`, so it pays once whichever of the two was made.
 * Any other end of the repeat says nothing of the first one, whose problem stands then.
 */
async function askAgain(
  ask: () => Promise<TransferResult | undefined>,
  ready: () => Promise<void>,
  first: unknown,
): Promise<TransferResult | undefined> {
  try {
    await ready();
  } catch {
    // Paid meanwhile, over, or not to be asked: the service says how the first one ended.
    return undefined;
  }
  const again = await ask().catch(() => {
    throw first;
  });
  if (again !== undefined && 'error' in again) throw first;
  return again;
}

type Transfer = TransferTerms & { readonly ledgerId: string };

/** Undefined where the signer does not tell what came of the transfer, which may have been made. */
async function sendTransfer(
  signer: IcpSigner,
  payer: Payer,
  { ledger, ledgerId, ...terms }: Transfer,
  call: WalletCall,
): Promise<TransferResult | undefined> {
  haltIfAborted(call.signal);
  const arg = encodeTransfer({ ...terms, fromSubaccount: payer.subaccount });
  const asked = { canisterId: ledgerId, sender: payer.owner, method: METHOD, arg: base64FromBytes(arg) };
  const answer = await askSigner(call, {
    name: METHOD,
    refusedAs: 'signature_refused',
    ask: () => signer.callCanister(asked),
  }).catch((problem: unknown) => {
    throw sendingProblem(problem);
  });
  const read = readAnswer(answer, { canisterId: ledger, sender: payer.ownerBytes, method: METHOD, arg });
  if (read.status === 'other_call')
    throw new SvcPayError('wallet_failed', { moneyMoved: 'unknown', reason: OTHER_CALL });
  if (read.status === 'rejected') {
    const moneyMoved = read.code < CANISTER_REJECT ? 'no' : 'unknown';
    throw new SvcPayError('token_refused', { moneyMoved, reason: `reject_code ${read.code}` });
  }
  return read.status === 'replied' ? resultIn(read.reply) : undefined;
}

/** With a lower code the network did not hand the call to the ledger. */
const CANISTER_REJECT = 4n;

function resultIn(reply: Uint8Array): TransferResult | undefined {
  try {
    return decodeTransferResult(reply);
  } catch {
    return undefined;
  }
}

/** The ledger recorded nothing. */
function refusalOf({ error }: Extract<TransferResult, { error: unknown }>): SvcPayError {
  if (error === 'InsufficientFunds') return new SvcPayError('insufficient_funds', { retryable: true });
  const reason = error ?? null;
  if (error === 'TooOld') return new SvcPayError('intent_not_payable', { reason });
  const mayPass = error === 'BadFee' || error === 'CreatedInFuture' || error === 'TemporarilyUnavailable';
  return new SvcPayError(mayPass ? 'payment_failed' : 'token_refused', { reason, retryable: mayPass });
}
