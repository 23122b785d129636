import type { LogEventEntries } from './log-event.ts';

/** Settlement: lines of the chain reader. */
export const READER_EVENTS = {
  read_log_completed_payment: {
    level: 'info',
    message: 'The chain reader completed a payment: a log proves that somebody else’s transaction paid it.',
    whatToDo: 'Nothing.',
  },
  read_log_failed_payment: {
    level: 'info',
    message: 'The chain reader failed a direct payment: its authorization was canceled or used for something else.',
    whatToDo: 'Nothing; the payer gets `authorization_already_used`.',
  },
  read_log_mismatched: {
    level: 'warn',
    message:
      'Money arrived that is not what its intent asks for; it is a mismatched payment, and the merchant is told.',
    whatToDo: 'Nothing; what is done with the money is between merchant and payer. `reason` says why.',
  },
  read_log_held: {
    level: 'warn',
    message: 'Somebody else’s transaction may have made a direct payment; the payment is held for the merchant.',
    whatToDo:
      'Ask the merchant whether the transfer in `transactionId` is this payment, then end it: `npm run svc -- payments resolve` with `--accept` or `--refuse`. `reason` is `shared_wallet`, `payout_withdrawn` (the payout is disabled or its activation is refused: look at the wallet first) or `transfer_taken` (it can only be refused).',
  },
  receipt_unattributed: {
    level: 'warn',
    message: 'Money arrived that is for no intent, or is too little; it is stored as an unattributed receipt.',
    whatToDo: '`reason` says why. Money of one payer for one shop: tell the merchant. Many small ones are on purpose.',
  },
  read_log_unrecorded: {
    level: 'error',
    message:
      'A final log waits for ten minutes: no lane has recorded its payment, or nodes do not agree on its receipt.',
    whatToDo:
      'Somebody uses a relayer’s key, a node lies or has no receipt, the database was restored to an earlier time, or the lane does not move: [ReaderUnrecorded](../operate/alerts.md#readerunrecorded).',
  },
  read_log_differs: {
    level: 'error',
    message: 'A log says something else than the payment that a lane completed with it; `reason` names the fields.',
    whatToDo: 'Run `ledger check` for the network: [ReaderDiffers](../operate/alerts.md#readerdiffers).',
  },
  batch_logs_differ: {
    level: 'error',
    message: 'A final batch completed other payments than the chain reader read of its transaction.',
    whatToDo: 'Run `ledger check` for the network: [ReaderDiffers](../operate/alerts.md#readerdiffers).',
  },
  reference_undecided: {
    level: 'error',
    message:
      'A transaction that names the reference of an intent can’t be decided for ten minutes: nodes contradict each other, or too few tell what they have.',
    whatToDo: 'Compare the nodes of the network: [references](../operate/chain-reader.md#references-on-solana).',
  },
  reference_forged: {
    level: 'error',
    message:
      'A reference was opened for an intent with a key that is not derived from that intent; its row was deleted unread.',
    whatToDo:
      'Somebody else writes with the login of the API: [references](../operate/chain-reader.md#references-on-solana).',
  },
  reference_flooded: {
    level: 'warn',
    message:
      'More new transactions name the reference of one intent than a run lists; it is read until all are decided.',
    whatToDo:
      'Somebody hides a payment or wastes calls: [references](../operate/chain-reader.md#references-on-solana).',
  },
  token_ledger_forked: {
    level: 'error',
    message:
      'A token ledger tells a block that does not continue those that were read, or lacks some of them; nothing more is read from it.',
    whatToDo:
      'Ask who runs the ledger what became of it: [token ledgers](../operate/chain-reader.md#token-ledgers-of-the-internet-computer).',
  },
  reader_rewound: {
    level: 'warn',
    message: 'A reorg: the chain reader went back to the newest block that the chain still has.',
    whatToDo: 'Nothing: [reorg](../operate/reorg.md#what-you-see).',
  },
  reader_fork_not_found: {
    level: 'error',
    message: 'The chain has none of the blocks that the chain reader remembers; it stands still.',
    whatToDo:
      'The RPC endpoints serve another chain, or a final block was reorganized: [ReaderBehind](../operate/alerts.md#readerbehind).',
  },
  read_log_block_gone: {
    level: 'error',
    message: 'A block is final under another hash than the chain reader read; the reader reads it again.',
    whatToDo: 'Once: nothing. Again: an RPC endpoint is wrong, take it out of `rpcUrls`.',
  },
  reader_block_too_large: {
    level: 'error',
    message: 'An RPC endpoint refuses the logs of a single block as too many; the chain reader stands still.',
    whatToDo: 'Add an endpoint that answers it to `rpcUrls`: [ReaderBehind](../operate/alerts.md#readerbehind).',
  },
  rpc_endpoints_contradict_logs: {
    level: 'warn',
    message: 'RPC endpoints contradict each other about the logs of some blocks; the chain reader waits.',
    whatToDo:
      'Find out which endpoint is wrong or lags, and take it out of `rpcUrls`: [ReaderBehind](../operate/alerts.md#readerbehind).',
  },
} as const satisfies LogEventEntries;
