// RPC calls about an authorization, and how their answers are read.
import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi, prepareEncodeFunctionData } from 'viem';
import type { RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';
import { isRevert } from '../rpc/read-revert.ts';

const TOKEN = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function nonces(address owner) view returns (uint256)',
]);
const WALLET = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
// These calls are made for every payment, so each selector is hashed once.
const BALANCE_OF = prepareEncodeFunctionData({ abi: TOKEN, functionName: 'balanceOf' });
const AUTHORIZATION_STATE = prepareEncodeFunctionData({ abi: TOKEN, functionName: 'authorizationState' });
const NONCES = prepareEncodeFunctionData({ abi: TOKEN, functionName: 'nonces' });
/** ERC-1271's magic value, padded to a word: any other answer of a wallet means no. */
const VALID = `0x1626ba7e${'0'.repeat(56)}`;
/** More than the processor lets a token use for a transfer: a wallet that needs more could not settle either. */
const WALLET_GAS = '0x7a120';

class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

const call = (to: string, data: Hex): RpcCall => ({ method: 'eth_call', params: [{ to, data }, 'latest'] });

export const askBlockNumber: RpcCall = { method: 'eth_blockNumber', params: [] };

export const askCode = (address: string): RpcCall => ({ method: 'eth_getCode', params: [address, 'latest'] });

export const askBalance = (token: string, account: Hex): RpcCall =>
  call(token, encodeFunctionData({ ...BALANCE_OF, args: [account] }));

export const askUsed = (token: string, payer: Hex, nonce: Hex): RpcCall =>
  call(token, encodeFunctionData({ ...AUTHORIZATION_STATE, args: [payer, nonce] }));

export const askPermitNonce = (token: string, owner: Hex): RpcCall =>
  call(token, encodeFunctionData({ ...NONCES, args: [owner] }));

export const askWallet = (wallet: string, digest: Uint8Array, signature: Hex): RpcCall => ({
  method: 'eth_call',
  params: [
    {
      to: wallet,
      gas: WALLET_GAS,
      data: encodeFunctionData({
        abi: WALLET,
        functionName: 'isValidSignature',
        args: [`0x${Buffer.from(digest).toString('hex')}`, signature],
      }),
    },
    'latest',
  ],
});

export function readCode(answer: RpcAnswer): Hex {
  return hexOf(answer);
}

export function readBlockNumber(answer: RpcAnswer): bigint {
  const text = hexOf(answer);
  if (text === '0x') throw new UnexpectedAnswer('the answer is no block number');
  return BigInt(text);
}

export function readUint(answer: RpcAnswer): bigint {
  return decodeFunctionResult({ abi: TOKEN, functionName: 'balanceOf', data: hexOf(answer) });
}

export function readUsed(answer: RpcAnswer): boolean {
  return decodeFunctionResult({ abi: TOKEN, functionName: 'authorizationState', data: hexOf(answer) });
}

/** A wallet that reverts refuses the signature. A node that cannot answer says nothing, so it throws. */
export function readWallet(answer: RpcAnswer): boolean {
  if (answer.ok) return typeof answer.result === 'string' && answer.result.toLowerCase() === VALID;
  if (isRevert(answer)) return false;
  throw new UnexpectedAnswer(`the node refused: ${answer.code}`);
}

function hexOf(answer: RpcAnswer): Hex {
  if (!answer.ok) throw new UnexpectedAnswer(`the node refused: ${answer.code}`);
  if (typeof answer.result !== 'string' || !/^0x[0-9a-f]*$/i.test(answer.result)) {
    throw new UnexpectedAnswer('the answer is not hex');
  }
  return answer.result as Hex;
}
