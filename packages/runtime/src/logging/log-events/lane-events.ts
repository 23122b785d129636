import type { LogEventEntries } from './log-event.ts';

/** Settlement: lines about lanes. Each line names its `lane`. */
export const LANE_EVENTS = {
  transaction_broadcast: {
    level: 'info',
    message: 'A transaction was broadcast.',
    whatToDo: 'Nothing.',
  },
  transaction_broadcast_unsure: {
    level: 'warn',
    message: 'No RPC endpoint confirmed that it has a transaction.',
    whatToDo:
      'Nothing for a single line: the same bytes are sent again. `outcome` `not_sent` means that every endpoint refused it, and `reason` says why: [stuck lane](../operate/stuck-lane.md#stuck).',
  },
  batch_mined: {
    level: 'info',
    message: 'A batch is mined and has enough confirmations.',
    whatToDo: 'Nothing. `settled` is how many of its `payments` are settled.',
  },
  batch_replaced: {
    level: 'warn',
    message: 'A batch can never be mined; its payments are queued again.',
    whatToDo:
      'On Solana nothing: its blockhash has expired. On EVM another transaction has used its nonce: unless you sent it, treat the relayer’s key as stolen ([reorg](../operate/reorg.md#what-to-do)).',
  },
  fee_bumped: {
    level: 'warn',
    message: 'A batch is not mined in time; its transaction is sent again with a higher fee.',
    whatToDo: 'Nothing.',
  },
  fee_not_bumped: {
    level: 'warn',
    message:
      'A batch is not mined in time, and its fee is not bumped: the fee ceiling is reached, or the chain makes no blocks.',
    whatToDo: 'Wait, or raise `SVC_SETTLEMENT_MAX_FEE_GWEI`: [stuck lane](../operate/stuck-lane.md#stuck).',
  },
  fee_bump_unaffordable: {
    level: 'warn',
    message: 'A batch is not mined in time, and the relayer’s coins do not pay for a fee bump.',
    whatToDo: 'Top up the relayer: [out of gas](../operate/out-of-gas.md).',
  },
  relayer_cannot_pay: {
    level: 'warn',
    message: 'The relayer’s coins do not pay for a transaction; the lane tries a smaller one, or waits.',
    whatToDo: 'Top up the relayer: [out of gas](../operate/out-of-gas.md).',
  },
  simulation_refused: {
    level: 'warn',
    message: 'The simulation of a transaction is refused as a whole; nothing of it is sent now.',
    whatToDo:
      'Read `cause` and `reason`: [stuck lane](../operate/stuck-lane.md#stuck), and for the recovery key [stranded money](../operate/stranded-money.md#what-you-see). The lane tries again by itself.',
  },
  simulation_unanswered: {
    level: 'warn',
    message: 'No RPC endpoint simulated a payment of the solo queue; the payment is tried again later.',
    whatToDo: 'Nothing for a single payment. If it concerns every payment, look at the RPC endpoints.',
  },
  payment_over_budget: {
    level: 'info',
    message: 'A payment failed before it was sent: its wallet, or contract wallets that never paid, lost too much gas.',
    whatToDo:
      'Nothing: the payer may pay from another wallet. Who spends the budget: [gas budgets](../operate/gas-budgets.md).',
  },
  refund_over_budget: {
    level: 'warn',
    message: 'A refund waits: refunds of its account cost too much gas within the hour or the day.',
    whatToDo:
      'Look whether the account pays itself: `npm run svc -- cost` shows what it costs. [Gas budgets](../operate/gas-budgets.md).',
  },
  refund_put_off: {
    level: 'warn',
    message: 'A refund could not be sent, and the lane went on without it; it is tried again later.',
    whatToDo:
      'Nothing for a single one. A malformed row is not one that the API writes: whoever wrote it has a login of the database.',
  },
  hourly_cap_reached: {
    level: 'warn',
    message: 'Payments exceed what is left of the relayer’s hourly cap; they are tried again in a minute.',
    whatToDo: 'Nothing, or add a relayer or raise the cap: [stuck lane](../operate/stuck-lane.md).',
  },
  direct_payments_deferred: {
    level: 'warn',
    message:
      'Direct payments are not sent, because the activation of their payout is refused; they are tried again in a minute.',
    whatToDo: 'The line `payout_activation_refused` says why, and what to do.',
  },
  queued_payments_unusable: {
    level: 'warn',
    message: 'Payments are queued for the lane, and none of them has both an authorization and a payout.',
    whatToDo: 'Report it: a row of `svc.settlements` refers to something that is gone.',
  },
  nonces_used_elsewhere: {
    level: 'warn',
    message: 'The relayer’s key was used outside this lane; the lane continues after those nonces.',
    whatToDo: 'If you did not use the key, treat it as stolen: [rotate a relayer](../operate/rotate-relayer.md).',
  },
  lane_stopped: {
    level: 'warn',
    message: 'The lane has stopped: its chain and the database name different nonces.',
    whatToDo: 'Read `obstacle`: [stuck lane](../operate/stuck-lane.md#nonce_behind-nonce_gap).',
  },
  lane_resumed: {
    level: 'info',
    message: 'The lane has resumed: its chain and the database name the same nonce again.',
    whatToDo: 'Nothing.',
  },
  lane_chain_unreachable: {
    level: 'warn',
    message: 'The lane cannot reach its chain; it tries again after a pause.',
    whatToDo: 'Look at the RPC endpoints of the network: `doctor` asks each of them.',
  },
} as const satisfies LogEventEntries;
