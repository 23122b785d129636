// Log and clock of every watcher.
import type { Clock } from '../clock.ts';

/** Codes of the log catalogue, which has their levels and texts. */
export type WatchLogEvent =
  | 'authorization_burned'
  | 'authorization_use_unexplained'
  | 'batch_moved'
  | 'batch_reversed'
  | 'deployment_differs'
  | 'deployment_matches'
  | 'deployment_not_read'
  | 'failed_payment_settled'
  | 'held_payment_completed'
  | 'held_payment_unexplained'
  | 'held_payment_without_transaction'
  | 'intent_settled_by_other_authorization'
  | 'network_offered'
  | 'network_withdrawn'
  | 'payment_settled_unrecorded'
  | 'payout_terms_differ'
  | 'periodic_job_failed'
  | 'relayer_condition_changed'
  | 'relayer_empty'
  | 'relayer_low'
  | 'relayer_not_allowed'
  | 'relayer_ready'
  | 'row_skipped'
  | 'row_skipped_chain_unreachable'
  | 'rpc_endpoint_back'
  | 'rpc_endpoint_failing'
  | 'rpc_endpoints_contradict'
  | 'rpc_endpoints_contradict_batches'
  | 'rpc_endpoints_contradict_payouts'
  | 'stranded_transfer_found'
  | 'stranded_upto_decided';

export type WatchLog = (event: WatchLogEvent, details: object) => void;

/** Deps of every watcher, besides its chain and its store. */
export type WatchBase = {
  readonly clock: Clock;
  readonly log: WatchLog;
  /** Counts failures of a watcher: a row or a whole run. */
  readonly countFailure?: (network: string, watcher: string) => void;
};
