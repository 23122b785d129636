// The words of the operator's page. A code that is not here is shown as it is.
import type { GENERAL_STAGES, NETWORK_STAGES, NodeState } from '@svc-pay/protocol/operator';
import type { StateWords } from './states.ts';

export const NODE_WORDS: Readonly<Record<NodeState, StateWords>> = {
  fine: { word: 'Answers', why: 'It answers, and its latest block is as new as that of the others.', tone: 'good' },
  behind: {
    word: 'Behind',
    why: 'Its latest block is more than a minute older than that of the others.',
    tone: 'wait',
  },
  silent: { word: 'No answer', why: 'It gave no usable answer when it was last asked.', tone: 'bad' },
  other_chain: { word: 'Other chain', why: 'It serves another chain and is not used: correct rpcUrls.', tone: 'bad' },
};

type Stage = (typeof NETWORK_STAGES)[number] | (typeof GENERAL_STAGES)[number];

export const STAGE_WORDS: Readonly<Record<Stage, string>> = {
  queued: 'Wait for a transaction',
  queued_solo: 'Contract wallets that wait',
  queued_refund: 'Refunds that wait',
  pending: 'Transactions without a result',
  held: 'Wait for proof of the outcome',
  delivery: 'Webhook deliveries that are due',
  delivery_failing: 'Due, to endpoints that fail',
  expiry: 'Intents past their end, still open',
};

const REASONS: Readonly<Record<string, string>> = {
  chain_unreachable: 'No node of the network answers.',
  paused: 'The processor is paused.',
  no_active_relayer: 'No relayer is active.',
  out_of_gas: 'No relayer has coins for another transaction.',
  not_allowed: 'The processor knows none of the relayers.',
  over_cap: 'The relayers have used up their hourly cap.',
  stuck: 'Payments or transactions wait for too long.',
  processor_differs: 'The chain has another processor than the configuration.',
  token_differs: 'A token on the chain signs under other names than the configuration.',
  nonce_behind: 'The chain knows fewer transactions of the relayer than the database.',
  nonce_gap: 'The chain knows more transactions of the relayer than the database.',
  chain_unreadable: 'A chain could not be read, so nothing is proven.',
};

/** Why a network is withdrawn, a lane stopped, or a ledger check proved nothing. */
export const obstacleWords = (code: string): string => (Object.hasOwn(REASONS, code) ? (REASONS[code] ?? code) : code);

const CONDITIONS: Readonly<Record<string, StateWords>> = {
  fine: { word: 'Ready', why: 'It can pay for many transactions.', tone: 'good' },
  low: { word: 'Low', why: 'Its coins pay for few more transactions.', tone: 'wait' },
  empty: { word: 'Empty', why: 'Its coins pay for no transaction.', tone: 'bad' },
  not_allowed: { word: 'Not allowed', why: 'The processor does not know this key.', tone: 'bad' },
};

export const conditionWords = (condition: string): StateWords =>
  (Object.hasOwn(CONDITIONS, condition) ? CONDITIONS[condition] : undefined) ?? {
    word: condition,
    why: condition,
    tone: 'quiet',
  };
