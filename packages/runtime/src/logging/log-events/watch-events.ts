import type { LogEventEntries } from './log-event.ts';

/** Settlement: lines about payments, batches and payouts that periodic jobs watch. */
export const WATCH_EVENTS = {
  partition_retired: {
    level: 'info',
    message: 'A month or day of rows that is no longer kept was dropped.',
    whatToDo: 'Nothing; `outcome` says whether it was archived ([retention](../operate/retention.md)).',
  },
  partition_not_retired: {
    level: 'warn',
    message: 'A month or day of rows that is no longer kept could not be archived or dropped; it stays.',
    whatToDo:
      'Look at `err` or `reason`: [what to do about it](../operate/retention.md#when-a-month-stays). The next run tries again.',
  },
  held_payment_completed: {
    level: 'info',
    message: 'A held payment is completed: the chain proves that it is settled.',
    whatToDo: 'Nothing.',
  },
  payment_settled_unrecorded: {
    level: 'error',
    message: 'A held payment was settled by a transaction that no lane recorded.',
    whatToDo:
      'Somebody uses a relayer’s key, or the database was restored to an earlier time: find out which before anything else ([stranded money](../operate/stranded-money.md#what-you-see)).',
  },
  failed_payment_settled: {
    level: 'error',
    message: 'A payment that is failed in the database was settled on the chain.',
    whatToDo:
      'Somebody uses a relayer’s key, or the database was restored to an earlier time: find out which before anything else ([stranded money](../operate/stranded-money.md#what-you-see)).',
  },
  full_caps_burst: {
    level: 'warn',
    message: 'Many up-to payments of one account were charged nearly their whole cap within minutes.',
    whatToDo: 'Ask its owner whether that is meant: [FullCapsBurst](../operate/alerts.md#fullcapsburst).',
  },
  stranded_transfer_found: {
    level: 'warn',
    message:
      'Somebody else submitted a payer’s authorization to the token; the money lies stranded with the processor.',
    whatToDo: 'Nothing; `action` says what is done with the money: [stranded money](../operate/stranded-money.md).',
  },
  stranded_upto_decided: {
    level: 'info',
    message: 'It is decided what is done with the stranded money of an up-to intent.',
    whatToDo: 'Nothing; `action` says what is done.',
  },
  authorization_burned: {
    level: 'info',
    message: 'A held payment failed: its authorization was canceled or used for something else.',
    whatToDo: 'Nothing; the payer gets `authorization_already_used`.',
  },
  intent_settled_by_other_authorization: {
    level: 'error',
    message: 'A held payment failed: its intent was settled by another authorization.',
    whatToDo:
      'Somebody uses a relayer’s key, or the database was restored to an earlier time: find out which before anything else ([stranded money](../operate/stranded-money.md#what-you-see)).',
  },
  held_payment_unexplained: {
    level: 'error',
    message: 'The chain says that a held payment is used or settled, and no log says by which transaction.',
    whatToDo: 'The RPC endpoint keeps no logs that old: add one that does to `rpcUrls`.',
  },
  held_payment_without_transaction: {
    level: 'error',
    message: 'The chain says that a held payment is used, and no transaction of ours carried it.',
    whatToDo:
      'Look at the payer’s and the merchant’s accounts in a block explorer; the payment stays `processing` until then.',
  },
  authorization_use_unexplained: {
    level: 'error',
    message:
      'The chain says that an authorization without a running payment is used, and no log says by which transaction.',
    whatToDo: 'The RPC endpoint keeps no logs that old: add one that does to `rpcUrls`.',
  },
  direct_payment_failed: {
    level: 'info',
    message: 'A direct payment failed: its authorization has expired unused, or was used for something else.',
    whatToDo: 'Nothing: its intent can be paid again if it has not expired.',
  },
  direct_logs_read_again: {
    level: 'warn',
    message:
      'The chain says that a direct authorization is used, and no log of it was read; the token’s logs are read again.',
    whatToDo: 'Nothing once in a while: the payer used the authorization while it was submitted here.',
  },
  batch_moved: {
    level: 'warn',
    message: 'A reorg moved a batch to another block; its outcome is the same.',
    whatToDo: 'Nothing: [reorg](../operate/reorg.md#what-you-see).',
  },
  batch_reversed: {
    level: 'error',
    message: 'A reorg reversed a batch; its lane settles the payments again.',
    whatToDo: 'Nothing once in a while; otherwise raise `confirmations`: [reorg](../operate/reorg.md#what-to-do).',
  },
  refund_completed: {
    level: 'info',
    message: 'A final block proves that a refund reached its recipient; it is booked.',
    whatToDo: 'Nothing.',
  },
  refund_failed: {
    level: 'warn',
    message: 'A refund moves no money any more; its amount is free again, and `code` says why.',
    whatToDo: 'Nothing: the merchant reads the failure of the refund and may prepare another.',
  },
  refund_log_taken: {
    level: 'error',
    message:
      'The log of a signed refund is counted as something else; the refund fails, and the money is counted once.',
    whatToDo: 'Compare the row of `svc.log_proofs` with the transaction: [ledger](../operate/ledger.md).',
  },
  payout_terms_differ: {
    level: 'error',
    message: 'The payout registry has other terms than the database; the payout is withdrawn until they agree.',
    whatToDo: 'Compare `payouts list` with the registry: [SettlementErrors](../operate/alerts.md#settlementerrors).',
  },
  row_skipped: {
    level: 'error',
    message: 'A periodic job failed at one row and continued with the next.',
    whatToDo: 'The ids name the row and `err` the cause: [WatcherFails](../operate/alerts.md#watcherfails).',
  },
  row_skipped_chain_unreachable: {
    level: 'warn',
    message: 'A periodic job could not ask the chain about one row and continued with the next.',
    whatToDo:
      'Look at the RPC endpoints of the network if it repeats: [WatcherFails](../operate/alerts.md#watcherfails).',
  },
  periodic_job_failed: {
    level: 'warn',
    message: 'A periodic job did not finish its run; the next run begins as usual.',
    whatToDo:
      'Read `err`. Every job of one network means its RPC endpoints: [WatcherFails](../operate/alerts.md#watcherfails).',
  },
} as const satisfies LogEventEntries;

/** Settlement: lines about networks, relayers and RPC endpoints. */
export const NETWORK_EVENTS = {
  network_offered: {
    level: 'info',
    message: 'The network is offered to payers.',
    whatToDo: 'Nothing.',
  },
  gas_budget_spent: {
    level: 'error',
    message: 'The gas budget of a network is spent: contract wallets that never paid are refused there.',
    whatToDo: 'Find out who burns gas: [GasBudgetSpent](../operate/alerts.md#gasbudgetspent).',
  },
  gas_budget_open: {
    level: 'info',
    message: 'The gas budget of a network is open again.',
    whatToDo: 'Nothing.',
  },
  network_withdrawn: {
    level: 'error',
    message: 'The network is withdrawn: nothing new is offered there, or no payment through its processor.',
    whatToDo: 'Read `reason`: [NetworkWithdrawn](../operate/alerts.md#networkwithdrawn).',
  },
  relayer_ready: {
    level: 'info',
    message: 'The relayer can send.',
    whatToDo: 'Nothing.',
  },
  relayer_low: {
    level: 'warn',
    message: 'The relayer’s coins run low.',
    whatToDo: 'Top up the relayer: [out of gas](../operate/out-of-gas.md).',
  },
  relayer_empty: {
    level: 'error',
    message: 'The relayer’s coins do not pay for a single payment.',
    whatToDo: 'Top up the relayer: [out of gas](../operate/out-of-gas.md).',
  },
  relayer_not_allowed: {
    level: 'error',
    message: 'The relayer has no relayer role at the processor.',
    whatToDo: 'Grant the role, or drain the relayer: [RelayerNotAllowed](../operate/alerts.md#relayernotallowed).',
  },
  relayer_condition_changed: {
    level: 'warn',
    message: 'The relayer is in another condition.',
    whatToDo: 'Read `condition`.',
  },
  deployment_differs: {
    level: 'error',
    message: 'The processor or a token on the chain differs from the configuration; the network is withdrawn.',
    whatToDo:
      'Compare `configured` with `deployed`, and the signing domains of `tokens`: [NetworkWithdrawn](../operate/alerts.md#networkwithdrawn).',
  },
  deployment_matches: {
    level: 'info',
    message: 'The processor and the tokens on the chain match the configuration again.',
    whatToDo: 'Nothing.',
  },
  deployment_not_read: {
    level: 'warn',
    message:
      'The processor and the tokens could not be read from the chain; settlement reads them again after a pause.',
    whatToDo: 'Look at the RPC endpoints of the network if it repeats.',
  },
  rpc_endpoint_failing: {
    level: 'warn',
    message: 'An RPC endpoint is not usable now and is left aside for a while.',
    whatToDo:
      '`trouble` says why; `endpoint` counts from 1 in `rpcUrls`: [stuck lane](../operate/stuck-lane.md#what-settlement-believes-of-its-endpoints).',
  },
  rpc_endpoint_back: {
    level: 'info',
    message: 'An RPC endpoint is usable again.',
    whatToDo: 'Nothing.',
  },
  rpc_endpoints_contradict: {
    level: 'warn',
    message: 'RPC endpoints contradict each other; nothing is concluded from their answers.',
    whatToDo:
      'Find out which endpoint is wrong or lags, and take it out of `rpcUrls`: [stuck lane](../operate/stuck-lane.md#stuck).',
  },
  rpc_endpoints_contradict_batches: {
    level: 'warn',
    message: 'RPC endpoints contradict each other about batches; the batches wait.',
    whatToDo:
      'Find out which endpoint is wrong or lags, and take it out of `rpcUrls`: [stuck lane](../operate/stuck-lane.md#stuck).',
  },
  rpc_endpoints_contradict_payouts: {
    level: 'warn',
    message: 'RPC endpoints contradict each other about payouts; the payouts stay as they are.',
    whatToDo:
      'Find out which endpoint is wrong or lags, and take it out of `rpcUrls`: [stuck lane](../operate/stuck-lane.md#stuck).',
  },
} as const satisfies LogEventEntries;
