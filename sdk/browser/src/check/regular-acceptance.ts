// A way to pay by the regular flow in the terms of an acceptance: it is held against what was asked, and chosen, as one.
import type { Acceptance, EvmAuthorizationOption, EvmProcessorOption, RegularOption } from '@svc-pay/protocol';

export type EvmOption = EvmProcessorOption | EvmAuthorizationOption;

export const isEvmOption = (option: RegularOption): option is EvmOption =>
  option.kind === 'evm_processor' || option.kind === 'evm_authorization';

/** The same way with the whole amount, of which parts may have arrived: what the page asked for. */
export function wholeOf(option: EvmOption): EvmOption {
  const { amount, requestedAmount = amount } = option;
  return { ...option, amount: BigInt(amount) < BigInt(requestedAmount) ? requestedAmount : amount };
}

/** `windowSeconds`: how long a signature would be good for; the client chooses that here. */
export function regularAcceptance(option: EvmOption, windowSeconds: number): Acceptance {
  const { network, payTo, token, amount, chainId, rpcUrlPublic } = option;
  return {
    scheme: 'exact',
    network,
    payTo,
    asset: token,
    maxAmountRequired: amount,
    maxTimeoutSeconds: windowSeconds,
    extra: { rpcChainId: String(chainId), ...(rpcUrlPublic !== undefined && { rpcUrlPublic }) },
  };
}
