// A way to pay by the regular flow in the terms of an acceptance: it is held against what was asked, and chosen, as one.
import {
  type Acceptance,
  type EvmAuthorizationOption,
  type EvmProcessorOption,
  evmAuthorizationOption,
  evmProcessorOption,
  type Icrc1TransferOption,
  type RegularOption,
} from '@svc-pay/protocol';

export type EvmOption = EvmProcessorOption | EvmAuthorizationOption;

export const isEvmOption = (option: RegularOption): option is EvmOption =>
  option.kind === 'evm_processor' || option.kind === 'evm_authorization';

/** Undefined for what is none. */
export const readEvmOption = (came: unknown): EvmOption | undefined =>
  evmProcessorOption.safeParse(came).data ?? evmAuthorizationOption.safeParse(came).data;

/** A transfer with its recipient in the place where the others have it. */
type TransferOption = Icrc1TransferOption & {
  readonly payTo: string;
  readonly chainId?: undefined;
  readonly rpcUrlPublic?: undefined;
};

/** What a wallet pays by itself. */
export type PayableOption = EvmOption | TransferOption;

/** The same way with the whole amount, of which parts may have arrived: what the page asked for. */
export function wholeOf(option: PayableOption): PayableOption {
  const { amount, requestedAmount = amount } = option;
  return { ...option, amount: BigInt(amount) < BigInt(requestedAmount) ? requestedAmount : amount };
}

/** `windowSeconds`: how long a signature would be good for; the client chooses that here. */
export function regularAcceptance(option: PayableOption, windowSeconds: number): Acceptance {
  const { network, payTo, token, amount, chainId, rpcUrlPublic } = option;
  return {
    scheme: 'exact',
    network,
    payTo,
    asset: token,
    maxAmountRequired: amount,
    maxTimeoutSeconds: windowSeconds,
    extra: { ...(chainId && { rpcChainId: `${chainId}` }), ...(rpcUrlPublic !== undefined && { rpcUrlPublic }) },
  };
}
