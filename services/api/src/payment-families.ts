// Chain families that this process takes payments on. Each entry is made by the package of its family.
import { type Clock, type PaymentFamily, type RefundFamily, type TransferStores } from '@svc-pay/core';
import {
  type ActivationLog,
  createActivationCheck,
  createAuthorizationRefunds,
  createEvmPayments,
  createEvmRefundQuestions,
} from '@svc-pay/evm/verify';
import { createIcpPayments, createIcpRefunds, type IcpPaymentOptions } from '@svc-pay/icp/payments';
import type { NetworkId } from '@svc-pay/protocol';
import { payoutRules } from '@svc-pay/runtime/config';
import { createSolanaPayments, createSolanaRefunds } from '@svc-pay/solana';
import type { ApiConfig } from './config.ts';

export type PaymentFamilyOptions = IcpPaymentOptions & {
  readonly stores: TransferStores;
  readonly clock: Clock;
  /** The id of this installation, which activations of direct payouts name. */
  readonly installation: () => Promise<string>;
  /** Called with the reason why a chain could not be asked. */
  readonly onProblem: (network: NetworkId, problem: unknown) => void;
  readonly log: ActivationLog;
};

type FamilyConfig = Pick<ApiConfig, 'rpcUrls' | 'clusters' | 'rpcTimeoutMs' | 'payoutApprovers' | 'payoutDelayHours'>;

export function createPaymentFamilies(
  config: FamilyConfig,
  { stores, clock, installation, onProblem, log, isLedgerRead }: PaymentFamilyOptions,
): readonly PaymentFamily[] {
  const { rpcUrls, clusters, rpcTimeoutMs: timeoutMs } = config;
  const checkActivation = createActivationCheck({ ...payoutRules(config), installation, clock, log });
  return [
    createEvmPayments({ rpcUrls, timeoutMs, checkActivation, onProblem }),
    createSolanaPayments({ stores, clusters, timeoutMs, clock, installation, onProblem }),
    createIcpPayments({ isLedgerRead }),
  ];
}

export function createRefundFamilies(
  { rpcUrls, clusters, rpcTimeoutMs: timeoutMs }: Pick<ApiConfig, 'rpcUrls' | 'clusters' | 'rpcTimeoutMs'>,
  stores: TransferStores,
): readonly RefundFamily[] {
  return [
    createAuthorizationRefunds(createEvmRefundQuestions({ rpcUrls, timeoutMs })),
    createSolanaRefunds({ stores, clusters, timeoutMs }),
    createIcpRefunds(),
  ];
}
