// Ports of the API. Those of the payment rules come from core; the ones declared here are needed only by HTTP.
import type {
  AccountStatus,
  AuthenticatePorts,
  Caller,
  CancelIntentPorts,
  CreateIntentPorts,
  CreateRefundPorts,
  ExportStore,
  FacilitatorPorts,
  Intent,
  IssuedOffer,
  LeasedCall,
  LoadPayable,
  NewUrlPolicy,
  RequestTransactionPorts,
  Sealer,
  SettlePorts,
  StoredPayment,
  SubmitRefundPorts,
  UptoPorts,
} from '@svc-pay/core';
import type { ListStores, MerchantStores } from '@svc-pay/postgres/merchant-api';
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type { Denials } from './abuse/denials.ts';
import type { UnsentPages } from './limit/unsent-pages.ts';
import type { AcceptPayment, NotifyOfBlock } from './settle/settlement-client.ts';

export type IntentSituation = {
  readonly intent: Intent;
  /** Latest payment of the intent. */
  readonly payment: StoredPayment | null;
};

export type StatusPorts = {
  /** Returns the intent if it belongs to the caller's account and mode. */
  readonly loadStatus: (caller: Caller, intentId: Id<'paymentIntent'>) => Promise<IntentSituation | undefined>;
  /**
   * Calls `onChange` soon after a commit that changed the intent, but without guarantee: a notification can be lost,
   * and some changes send none. Callers that need certainty also poll. Returns the function that stops watching.
   */
  readonly watchIntent: (intentId: Id<'paymentIntent'>, onChange: () => void) => Promise<() => void | Promise<void>>;
};

export type EndpointPorts = {
  readonly merchant: MerchantStores;
  /** Seals webhook secrets and cannot open them. Undefined if the operator has configured no sealing key. */
  readonly sealer: Sealer | undefined;
  readonly endpointUrls: Omit<NewUrlPolicy, 'mode'>;
};

export type ApiPorts = AuthenticatePorts &
  CreateIntentPorts &
  CancelIntentPorts &
  CreateRefundPorts &
  SubmitRefundPorts &
  SettlePorts &
  RequestTransactionPorts &
  UptoPorts &
  FacilitatorPorts &
  StatusPorts &
  EndpointPorts & {
    readonly lists: ListStores;
    /** Calls settlement, the only writer of it. Safe to repeat. */
    readonly acceptPayment: AcceptPayment;
    /** Has settlement read a block that somebody says pays the intent. Safe to repeat; never throws. */
    readonly notifyTransfer: NotifyOfBlock;
    /** False for an account that is closed or does not exist. */
    readonly findAccountStatus: (accountId: Id<'account'>) => Promise<AccountStatus | undefined>;
    /** Name of the merchant, for payers; undefined for an account that does not exist. */
    readonly findAccountName: (accountId: Id<'account'>) => Promise<string | undefined>;
    /** The acceptances of the caller's intent as they were answered, and how often it was begun to be paid. */
    readonly loadIssued: (caller: Caller, intentId: Id<'paymentIntent'>) => Promise<IssuedOffer>;
    /** The acceptances of the caller's intent, of both flows. */
    readonly loadPayable: LoadPayable;
    /** Lets the chain reader of a network run soon. Returns at once and never throws. */
    readonly wakeReader: (network: NetworkId) => void;
    readonly exports: ExportStore;
    readonly unsentPages: UnsentPages;
    readonly denials: Denials;
    /** Notes whether the answer of a seller's call arrived. */
    readonly noteAnswer: (lease: LeasedCall, arrived: boolean) => void;
    /** Counts a refusal of a payer that is recorded with no intent. */
    readonly payerRefused: (payer: string) => void;
    /** Resolves when the database answers and its schema is the one this release needs; throws otherwise. */
    readonly checkDatabase: () => Promise<void>;
  };
