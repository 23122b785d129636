// Log and clock of every watcher.
import type { Clock } from '../clock.ts';

/** Codes of the log catalogue, which has their levels and texts. */
export type WatchLogEvent =
  | 'authorization_burned'
  | 'authorization_use_unexplained'
  | 'batch_logs_differ'
  | 'batch_moved'
  | 'batch_reversed'
  | 'deployment_differs'
  | 'deployment_matches'
  | 'deployment_not_read'
  | 'direct_logs_read_again'
  | 'direct_payment_failed'
  | 'failed_payment_settled'
  | 'held_payment_completed'
  | 'held_payment_unexplained'
  | 'gas_budget_open'
  | 'gas_budget_spent'
  | 'held_payment_without_transaction'
  | 'intent_settled_by_other_authorization'
  | 'network_offered'
  | 'network_withdrawn'
  | 'partition_not_retired'
  | 'partition_retired'
  | 'payment_settled_unrecorded'
  | 'payout_activated'
  | 'payout_activation_accepted'
  | 'payout_activation_refused'
  | 'payout_change_pending'
  | 'payout_terms_differ'
  | 'periodic_job_failed'
  | 'read_log_block_gone'
  | 'read_log_completed_payment'
  | 'read_log_failed_payment'
  | 'read_log_held'
  | 'read_log_mismatched'
  | 'read_log_differs'
  | 'read_log_unrecorded'
  | 'reader_block_too_large'
  | 'reader_fork_not_found'
  | 'reader_rewound'
  | 'receipt_unattributed'
  | 'reference_flooded'
  | 'reference_forged'
  | 'reference_undecided'
  | 'refund_completed'
  | 'refund_failed'
  | 'refund_log_taken'
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
  | 'rpc_endpoints_contradict_logs'
  | 'rpc_endpoints_contradict_payouts'
  | 'stranded_transfer_found'
  | 'stranded_upto_decided'
  | 'token_ledger_forked';

export type WatchLog = (event: WatchLogEvent, details: object) => void;

/** Deps of every watcher, besides its chain and its store. */
export type WatchBase = {
  readonly clock: Clock;
  readonly log: WatchLog;
  /** Counts failures of a watcher: a row or a whole run. */
  readonly countFailure?: (network: string, watcher: string) => void;
};
