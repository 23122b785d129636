// Chain families that this process takes payments on. Each entry is made by the package of its family.
import type { Clock, PaymentFamily, TransferStores } from '@svc-pay/core';
import { createEvmPayments } from '@svc-pay/evm/verify';
import type { NetworkId } from '@svc-pay/protocol';
import { createSolanaPayments } from '@svc-pay/solana';
import type { ApiConfig } from './config.ts';

export type PaymentFamilyOptions = {
  readonly stores: TransferStores;
  readonly clock: Clock;
  /** Called with the reason why a chain could not be asked. */
  readonly onProblem: (network: NetworkId, problem: unknown) => void;
};

export function createPaymentFamilies(
  { rpcUrls, clusters, rpcTimeoutMs: timeoutMs }: Pick<ApiConfig, 'rpcUrls' | 'clusters' | 'rpcTimeoutMs'>,
  { stores, clock, onProblem }: PaymentFamilyOptions,
): readonly PaymentFamily[] {
  return [
    createEvmPayments({ rpcUrls, timeoutMs, onProblem }),
    createSolanaPayments({ stores, clusters, timeoutMs, clock, onProblem }),
  ];
}
