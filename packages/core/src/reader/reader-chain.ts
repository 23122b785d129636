// Port of the chain reader to the nodes of one network. Each node answers for itself; core compares the answers.
import type { NetworkId } from '@svc-pay/protocol';
import type { AuthorizationLog, MoneyLog, ProcessorLog, ReceivedEvidence, UseEvidence } from './money-log.ts';

export type BlockRef = { readonly number: bigint; readonly hash: string; readonly timeSeconds: bigint };

export const SOURCE_KINDS = ['processor', 'token'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** The address is in lower case. */
export type ReaderSource = { readonly address: string; readonly kind: SourceKind };

/** Both ends are read. */
export type ReadRange = { readonly from: bigint; readonly to: bigint };

/** The node refuses the range as too large, or its answer would be: a smaller one may pass. */
export class RangeTooLarge extends Error {
  override readonly name = 'RangeTooLarge';
}

/**
 * One node. Calls throw `ChainUnavailable` when it gives no usable answer, in time: then it has no vote. Answers about
 * many are in the order given.
 */
export type ReaderNode = {
  readonly readHeads: () => Promise<{ readonly head: BlockRef; readonly finalized: BlockRef }>;
  /** Undefined where the node does not have the block. */
  readonly readBlocks: (numbers: readonly bigint[]) => Promise<readonly (BlockRef | undefined)[]>;
  /** All money logs of the sources in the range, in chain order. Throws `RangeTooLarge` when there are too many. */
  readonly readLogs: (range: ReadRange, sources: readonly ReaderSource[]) => Promise<readonly MoneyLog[]>;
  /** Undefined where the node has no receipt of the transaction, or the receipt has no such use. */
  readonly readEvidence: (uses: readonly AuthorizationLog[]) => Promise<readonly (UseEvidence | undefined)[]>;
  /** The same for calls of `pay()`. */
  readonly readReceived: (logs: readonly ProcessorLog[]) => Promise<readonly (ReceivedEvidence | undefined)[]>;
};

export type ReaderChain = {
  readonly network: NetworkId;
  /** The healthy nodes; a node that does not answer may be among them. */
  readonly nodes: () => Promise<readonly ReaderNode[]>;
};
