// How a payer pays an EVM acceptance with gas of his own. Through the processor: `approve`, then `pay`, which names intent and
// payout. To the merchant's wallet: the token's `transferWithAuthorization` with the nonce that is bound to the intent.
import { directTerms, optionFields, type RegularWay } from '@svc-pay/core';
import {
  chainIdOf,
  type EvmAuthorizationOption,
  type EvmProcessorOption,
  messageTypes,
  type RegularOption,
} from '@svc-pay/protocol';
import { directNonce } from '@svc-pay/protocol/direct-nonce';
import { type Address, encodeFunctionData, parseAbi } from 'viem';
import { eip681Link } from './eip681-link.ts';

const ABI = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function pay(address token, uint64 intentCode, uint64 payoutId, uint256 amount)',
]);

export function regularOption(way: RegularWay): RegularOption | undefined {
  const chainId = chainIdOf(way.terms.network);
  if (chainId === undefined) return undefined;
  return way.terms.direct === undefined ? processorOption(way, chainId) : authorizationOption(way, chainId);
}

function processorOption(way: RegularWay, chainId: number): EvmProcessorOption | undefined {
  const { intent, terms, setup } = way;
  const { network, token, payTo, amount, payoutId } = terms;
  // Money goes to no processor that the operator does not name.
  if (lower(payTo) !== lower(setup.processor)) return undefined;
  const { intentCode } = intent;
  const approve = { to: token.address, amount: amount.toString() };
  return {
    kind: 'evm_processor',
    ...commonFields(way, chainId),
    approve: {
      ...approve,
      data: encodeFunctionData({ abi: ABI, functionName: 'approve', args: [lower(payTo), amount] }),
      link: eip681Link({
        network,
        contract: token.address,
        function: 'approve',
        parameters: [
          ['address', payTo],
          ['uint256', amount],
        ],
      }),
    },
    pay: {
      to: payTo,
      data: encodeFunctionData({
        abi: ABI,
        functionName: 'pay',
        args: [lower(token.address), BigInt(intentCode), payoutId, amount],
      }),
    },
    link: eip681Link({
      network,
      contract: payTo,
      function: 'pay',
      parameters: [
        ['address', token.address],
        ['uint64', intentCode],
        ['uint64', payoutId],
        ['uint256', amount],
      ],
    }),
  };
}

/** Undefined where the token takes no such authorization. */
function authorizationOption(way: RegularWay, chainId: number): EvmAuthorizationOption | undefined {
  const { intent, terms: paid, attempt, endsAtMs } = way;
  const { token, payTo, amount, direct } = paid;
  const { domain } = token;
  if (direct === undefined || domain === undefined || token.signing !== 'TransferWithAuthorization') return undefined;
  const terms = directTerms(intent.intentCode, { ...paid, direct }, attempt);
  if (terms === undefined) return undefined;
  return {
    kind: 'evm_authorization',
    ...commonFields(way, chainId),
    typedData: {
      primaryType: 'TransferWithAuthorization',
      domain: { ...domain, chainId, verifyingContract: token.address },
      types: messageTypes('TransferWithAuthorization'),
      message: {
        to: payTo,
        value: amount.toString(),
        validAfter: '0',
        // The token takes it in blocks before this second, which are the blocks that pay the intent.
        validBefore: Math.floor(endsAtMs / 1_000).toString(),
        nonce: directNonce(terms),
      },
    },
    terms,
  };
}

function commonFields(way: RegularWay, chainId: number) {
  const { terms, rpcUrlPublic } = way;
  return { ...optionFields(way), chainId, ...(rpcUrlPublic !== undefined && { rpcUrlPublic }), payTo: terms.payTo };
}

/** viem refuses a checksum that does not fit. */
const lower = (address: string): Address => address.toLowerCase() as Address;
