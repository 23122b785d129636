// What the run says it did: the world it stood in, what clients wanted, what they were told, and what struck.
import { type Log, readSettled, type SettledLog } from './chain-evidence.ts';
import { type DirectLog, readDirectLogs } from './direct-evidence.ts';
import { linesOf } from './read-lines.ts';

type Journey = {
  readonly journey: number;
  readonly intent: string;
  readonly upto: boolean;
  readonly account: string;
  readonly cap: string;
  readonly settledAmount: string;
  readonly nonce: string;
};
export type Told = {
  readonly at: number;
  readonly askedAt: number;
  readonly journey: number;
  readonly intent: string;
  readonly call: string;
  readonly nonce: string;
  readonly http: number | null;
  readonly status?: string;
  readonly error?: string;
  readonly moneyMoved?: string;
  readonly transactionId?: string | null;
  readonly paymentId?: string;
  readonly settledAmount?: string;
  readonly refundAmount?: string;
  readonly feeAmount?: string;
};
type Call = {
  readonly at: number;
  readonly askedAt: number;
  readonly journey: number;
  readonly call: string;
  /** 0 at first, then 1 at the next API. */
  readonly attempt: number;
  readonly http: number | null;
};
type Struck = {
  readonly kind: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly inFlight: number;
};
/** Of a merchant: about a refund of his. */
export type RefundTold = {
  readonly at: number;
  readonly askedAt: number;
  readonly payment: string;
  readonly call: string;
  readonly http: number | null;
  readonly error?: string;
  readonly refund?: string;
  readonly status?: string;
};
/** `mark` names the transfer on the chain: the nonce of the authorization, or the reference. */
type RefundSigned = { readonly payment: string; readonly refund: string; readonly mark: string };
/** A merchant's own transfer. */
type SentBack = {
  readonly payment: string;
  readonly wallet: string;
  readonly to: string;
  readonly transaction: string;
};
type Setting = {
  readonly rpcUrl: string;
  readonly processor: string;
  readonly token: string;
  readonly relayers: readonly string[];
  /** Of direct payments. */
  readonly wallets?: readonly string[];
  /** Wallets that sign refunds. */
  readonly merchants?: readonly string[];
  readonly minted: Readonly<Record<string, string>>;
  readonly logFiles: readonly string[];
  readonly secrets: readonly string[];
  /** With one, clients may have to wait for it to come back. */
  readonly apis: number;
};
type Arrival = {
  readonly at: number;
  readonly endpoint: string;
  readonly event: string;
  readonly body: string;
  readonly signature: string;
  readonly mood: string;
};

export type RunEvidence = {
  readonly setting: Setting;
  readonly journeys: readonly Journey[];
  readonly gaveUp: readonly number[];
  readonly told: readonly Told[];
  /** Every request, also those that say nothing about a payment. */
  readonly calls: readonly Call[];
  readonly faults: readonly Struck[];
  /** Settlements in blocks that the chain gave up. */
  readonly orphaned: readonly SettledLog[];
  readonly orphanedDirect: readonly DirectLog[];
  readonly arrivals: readonly Arrival[];
  readonly refundsTold: readonly RefundTold[];
  readonly refundsSigned: readonly RefundSigned[];
  /** Payments whose merchant never heard how a refund ended. */
  readonly refundsGivenUp: readonly string[];
  readonly sentBack: readonly SentBack[];
};

type Line = { readonly what: string };

export function readRun(historyFile: string, receiverLog: string): RunEvidence {
  const lines = linesOf<Line>(historyFile);
  const of = (what: string): readonly unknown[] => lines.filter((line) => line.what === what);
  const [setting] = of('setting') as readonly Setting[];
  if (setting === undefined) throw new Error('the history names no setting');
  const orphaned = of('orphaned') as readonly { logs: readonly (Log & { readonly address: string })[] }[];
  return {
    setting,
    journeys: of('journey') as readonly Journey[],
    gaveUp: (of('gave up') as readonly { journey: number }[]).map(({ journey }) => journey),
    told: of('told') as readonly Told[],
    calls: of('call') as readonly Call[],
    faults: of('fault') as readonly Struck[],
    orphaned: orphaned.flatMap(({ logs }) => logs.flatMap((log) => readSettled(log) ?? [])),
    orphanedDirect: orphaned.flatMap(({ logs }) =>
      readDirectLogs(
        logs.filter(({ address }) => address.toLowerCase() === setting.token),
        new Set(setting.wallets ?? []),
      ),
    ),
    arrivals: linesOf<Arrival>(receiverLog),
    refundsTold: of('refund told') as readonly RefundTold[],
    refundsSigned: of('refund signed') as readonly RefundSigned[],
    refundsGivenUp: (of('refund gave up') as readonly { payment: string }[]).map(({ payment }) => payment),
    sentBack: of('sent back') as readonly SentBack[],
  };
}
