// What the API asks an EVM chain about a refund: before the merchant's wallet signs, and when its signature comes. A node
// that lies gains nothing: the signature moves what its wallet signed, once, and the lane simulates again before it sends.
import {
  ChainUnavailable,
  type RefundFacts,
  type RefundQuestions,
  type RefundTransfer,
  type RefundVerdict,
  type SignedRefundTransfer,
  signatureRuleOf,
} from '@svc-pay/core';
import { familyOf, type NetworkId } from '@svc-pay/protocol';
import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { transferData } from '../direct/single-transfer.ts';
import { askChain, quantityOf, resultOf } from '../rpc/ask-chain.ts';
import { createJsonRpc, type JsonRpc, type RpcAnswer, type RpcCall } from '../rpc/json-rpc.ts';
import { isRevert } from '../rpc/read-revert.ts';
import { askBalance, askCode, askUsed, readCode } from '../verify/chain-questions.ts';
import type { RpcUrls } from '../verify/evm-payments.ts';
import { signedDigests } from '../verify/signed-digests.ts';
import { signedByContract, signedByKey } from '../verify/verify-on-chain.ts';

const TRANSFER = parseAbi(['function transfer(address to, uint256 value) returns (bool)']);

export function createEvmRefundQuestions({
  rpcUrls,
  timeoutMs,
}: {
  readonly rpcUrls: RpcUrls;
  readonly timeoutMs: number;
}): RefundQuestions {
  const nodes = new Map([...rpcUrls].map(([network, urls]) => [network, createJsonRpc({ urls, timeoutMs })]));
  const nodeOf = (network: NetworkId): JsonRpc => {
    const rpc = nodes.get(network);
    if (rpc === undefined) throw new ChainUnavailable(`no RPC endpoint of ${network} is configured`);
    return rpc;
  };
  return {
    owns: (network) => familyOf(network) === 'evm',
    async hasCode(network, address) {
      const [code] = await askChain(nodeOf(network), [askCode(address)]);
      return codeOf(code) !== '0x';
    },
    async findUsedNonce(token, nonces) {
      const questions = nonces.map(({ wallet, nonce }) => askUsed(token.address, wallet as Hex, nonce as Hex));
      const answers = await askChain(nodeOf(token.network), questions);
      return nonces.find((_, index) => quantityOf(resultOf(answers[index])) === 1n);
    },
    readRefundFacts: (transfer) => readRefundFacts(nodeOf(transfer.token.network), transfer),
    verifyRefund: (transfer) => verifyRefund(nodeOf(transfer.token.network), transfer),
  };
}

export async function readRefundFacts(rpc: JsonRpc, transfer: RefundTransfer): Promise<RefundFacts> {
  const { token, recipient } = transfer;
  const [code, used, balance, played] = await askChain(rpc, [
    askCode(recipient),
    ...stateQuestions(transfer),
    askTransfer(transfer),
  ]);
  return {
    recipientHasCode: codeOf(code) !== '0x',
    nonceUsed: token.signing === 'TransferWithAuthorization' && quantityOf(resultOf(used)) === 1n,
    transfer: transferOf(played, balance, transfer),
  };
}

/** Asks whether the nonce is used, and for the wallet's balance. A token without EIP-3009 is asked for the balance alone. */
function stateQuestions({ token, wallet, nonce }: RefundTransfer): readonly RpcCall[] {
  const balance = askBalance(token.address, wallet as Hex);
  return token.signing === 'TransferWithAuthorization'
    ? [askUsed(token.address, wallet as Hex, nonce as Hex), balance]
    : [balance, balance];
}

/** The token's plain transfer, from the wallet itself: a recipient that the token refuses is known before anything is signed. */
function askTransfer({ token, wallet, recipient, amountAtomic }: RefundTransfer): RpcCall {
  const args = [recipient.toLowerCase() as Address, amountAtomic] as const;
  const data = encodeFunctionData({ abi: TRANSFER, functionName: 'transfer', args });
  return { method: 'eth_call', params: [{ from: wallet, to: token.address, data }, 'latest'] };
}

function transferOf(
  played: RpcAnswer | undefined,
  balance: RpcAnswer | undefined,
  { amountAtomic }: RefundTransfer,
): RefundFacts['transfer'] {
  if (quantityOf(resultOf(balance)) < amountAtomic) return 'insufficient_funds';
  return passes(played) ? 'passes' : 'refused';
}

/** A token may answer nothing, true, or false; it may also revert. */
function passes(played: RpcAnswer | undefined): boolean {
  if (played?.ok === true) return played.result === '0x' || quantityOf(played.result) !== 0n;
  if (played !== undefined && isRevert(played)) return false;
  throw new ChainUnavailable(`the node refused: ${played?.code ?? 'no answer'}`);
}

export async function verifyRefund(rpc: JsonRpc, transfer: SignedRefundTransfer): Promise<RefundVerdict> {
  const { token, wallet, signature } = transfer;
  const digests = signedDigests(token, authorizationOf(transfer), true);
  const byKey = signedByKey(wallet as Hex, digests, signature as Hex);
  const [code, used, balance] = await askChain(rpc, [askCode(wallet), ...stateQuestions(transfer)]);
  const byContract = codeOf(code) !== '0x' && signatureRuleOf(token) === 'wallet';
  const signed = byContract ? await askWalletCode(rpc, transfer, digests) : byKey;
  if (typeof signed === 'string') return { ok: false, code: 'invalid_signature' };
  if (quantityOf(resultOf(used)) === 1n) return { ok: false, code: 'nonce_used' };
  const [played] = await askChain(rpc, [askAuthorized(transfer, byContract)]);
  const outcome = transferOf(played, balance, transfer);
  return outcome === 'passes' ? { ok: true, byContract } : { ok: false, code: outcome };
}

async function askWalletCode(
  rpc: JsonRpc,
  { wallet, signature }: SignedRefundTransfer,
  digests: ReturnType<typeof signedDigests>,
) {
  try {
    return await signedByContract(rpc, wallet as Hex, digests, signature as Hex);
  } catch (problem) {
    throw new ChainUnavailable('the wallet could not be asked', { cause: problem });
  }
}

/** The call that a lane sends, from an account without rights. */
function askAuthorized(transfer: SignedRefundTransfer, byContract: boolean): RpcCall {
  const { token, wallet, recipient, amountAtomic } = transfer;
  const data = transferData({ ...transfer, payer: wallet, processor: recipient, capAtomic: amountAtomic, byContract });
  return { method: 'eth_call', params: [{ to: token.address, data }, 'latest'] };
}

function authorizationOf(transfer: SignedRefundTransfer) {
  const { wallet, recipient, amountAtomic, validAfterSeconds, validBeforeSeconds, nonce } = transfer;
  return {
    from: wallet,
    to: recipient,
    value: amountAtomic.toString(),
    validAfter: validAfterSeconds.toString(),
    validBefore: validBeforeSeconds.toString(),
    nonce,
  };
}

function codeOf(answer: RpcAnswer | undefined): Hex {
  return readCode({ ok: true, result: resultOf(answer) });
}
