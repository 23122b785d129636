// What the API needs of the world. The rules' own ports come from core; here are the ones only HTTP needs.
import type {
  AuthenticatePorts,
  Caller,
  CancelIntentPorts,
  CreateIntentPorts,
  Intent,
  NewUrlPolicy,
  Payment,
  Sealer,
  SettlePorts,
  TransferPorts,
  UptoPorts,
} from '@svc-pay/core';
import type { MerchantStores } from '@svc-pay/postgres/merchant';
import type { Id } from '@svc-pay/protocol/ids';

export type IntentSituation = {
  readonly intent: Intent;
  /** The latest one. */
  readonly payment: Payment | null;
};

export type StatusPorts = {
  /** The caller's own intent of the caller's mode, or undefined. */
  readonly loadStatus: (caller: Caller, intentId: Id<'paymentIntent'>) => Promise<IntentSituation | undefined>;
  /**
   * Calls `onChange` after a commit that changed the intent, soon but not surely: a notification can be lost, and some
   * changes send none. Who needs certainty looks by itself now and then. Returns how to stop.
   */
  readonly watchIntent: (intentId: Id<'paymentIntent'>, onChange: () => void) => Promise<() => void | Promise<void>>;
};

export type EndpointPorts = {
  readonly merchant: MerchantStores;
  /** Seals what it can't open. Undefined when the operator has set no key for it. */
  readonly sealer: Sealer | undefined;
  readonly endpointUrls: Omit<NewUrlPolicy, 'mode'>;
};

export type ApiPorts = AuthenticatePorts &
  CreateIntentPorts &
  CancelIntentPorts &
  SettlePorts &
  TransferPorts &
  UptoPorts &
  StatusPorts &
  EndpointPorts & {
    /** Resolves when the database answers and its schema is the one this release needs; throws otherwise. */
    readonly checkDatabase: () => Promise<void>;
  };
