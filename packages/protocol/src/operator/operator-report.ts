// What the operator's page shows: the installation as its processes last recorded it. Every reading has its time.
import * as z from 'zod/mini';
import { atomicText, isoTime, wholeNumber } from '../wire/primitives.ts';

/** `behind`: its latest block is far older than that of the others. `other_chain`: it serves another chain. */
export const NODE_STATES = ['fine', 'behind', 'silent', 'other_chain'] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** `queued`: waits for a transaction. `pending`: transactions without a result. `held`: waits for proof of the outcome. */
export const NETWORK_STAGES = ['queued', 'queued_solo', 'queued_refund', 'pending', 'held'] as const;
/** Deliveries that are due, those of endpoints that fail by themselves, and intents past their end that are still open. */
export const GENERAL_STAGES = ['delivery', 'delivery_failing', 'expiry'] as const;

const blockNumber = z.string().check(z.regex(/^\d{1,20}$/));

/** When it was read; `old`: so long ago that it may be wrong now. */
const reading = { at: z.nullable(isoTime), old: z.boolean() };

const backlogOf = <const Stages extends readonly [string, ...string[]]>(stages: Stages) =>
  z.object({
    stage: z.enum(stages),
    count: wholeNumber,
    /** More than `count` may wait. */
    more: z.boolean(),
    oldestAt: z.nullable(isoTime),
  });

const node = z.object({
  ...reading,
  /** Its place in `rpcUrls`, counted from 1. */
  endpoint: wholeNumber,
  state: z.enum(NODE_STATES),
  head: z.nullable(blockNumber),
  headTime: z.nullable(isoTime),
  finalHead: z.nullable(blockNumber),
  tookMs: wholeNumber,
  answeredAt: z.nullable(isoTime),
});

const operatedNetwork = z.object({
  network: z.string(),
  /** Null: settlement has not looked at it. */
  offered: z.nullable(z.boolean()),
  /** Why it is not offered. */
  reason: z.nullable(z.string()),
  since: z.nullable(isoTime),
  health: z.object(reading),
  /** As most nodes tell it; null while none does. */
  head: z.nullable(blockNumber),
  /** What is between the latest block and the latest final one. Seconds are null where blocks have no time. */
  finality: z.nullable(z.object({ blocks: blockNumber, seconds: z.nullable(wholeNumber) })),
  nodes: z.array(node),
  tokenLedgers: z.array(
    z.object({ ...reading, ledger: z.string(), nextIndex: blockNumber, stoppedAt: z.nullable(isoTime) }),
  ),
  backlog: z.array(backlogOf(NETWORK_STAGES)),
});

const floatOfRelayer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('unknown') }),
  z.object({ kind: z.literal('no_spending') }),
  z.object({ kind: z.literal('days'), days: z.number(), perDay: atomicText }),
]);

const operatedLane = z.object({
  network: z.string(),
  relayer: z.string(),
  mode: z.enum(['test', 'live']),
  duty: z.enum(['settle', 'recover']),
  status: z.string(),
  condition: z.string(),
  capped: z.boolean(),
  obstacle: z.nullable(z.string()),
  obstacleSince: z.nullable(isoTime),
  awake: z.boolean(),
  heartbeatAt: z.nullable(isoTime),
  pending: z.object({ count: wholeNumber, oldestAt: z.nullable(isoTime) }),
  balance: z.nullable(atomicText),
  coin: z.object({ symbol: z.string(), decimals: wholeNumber }),
  checked: z.object(reading),
  /** How long the balance lasts at the mean of the last seven days. */
  float: floatOfRelayer,
});

const ledgerCheck = z.object({
  startedAt: isoTime,
  endedAt: z.nullable(isoTime),
  booksAt: z.nullable(isoTime),
  networks: z.array(z.string()),
  uncompared: z.array(z.string()),
  looked: z.nullable(wholeNumber),
  differing: z.nullable(wholeNumber),
  /** Why it proved nothing. */
  obstacle: z.nullable(z.string()),
  old: z.boolean(),
});

export const operatorReport = z.object({
  at: isoTime,
  networks: z.array(operatedNetwork),
  lanes: z.array(operatedLane),
  backlog: z.array(backlogOf(GENERAL_STAGES)),
  ledgerCheck: z.object({
    /** The last one that ended; null: none did. */
    last: z.nullable(ledgerCheck),
    /** One that began later: it runs, or was broken off. */
    open: z.nullable(ledgerCheck),
  }),
});
export type OperatorReport = z.infer<typeof operatorReport>;
export type ReportedNetwork = OperatorReport['networks'][number];
export type OperatedLane = OperatorReport['lanes'][number];
export type ShownBacklog = ReportedNetwork['backlog'][number] | OperatorReport['backlog'][number];
export type ShownLedgerCheck = z.infer<typeof ledgerCheck>;
