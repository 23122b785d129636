// A chain of blocks with a pool of transactions, several senders, a base fee that jumps, and reorganisations. What every
// fork ever said is kept: it is what statuses and books are held against.
import { type Hex, hexToBytes, keccak256, parseTransaction, serializeTransaction } from 'viem';
import type { Dice } from '../../chaos/harness/dice.ts';
import type { ChainState, Log, Played, SettleResult } from './chain-state.ts';
import { directItemsOf, isDirectCall } from './direct-calls.ts';
import { itemsOf, playCall } from './processor.ts';
import { isStrandedCall, playSubmission, type Submission } from './stranded-calls.ts';

export type Transaction = {
  readonly id: string;
  readonly sender: string;
  readonly nonce: bigint;
  readonly data: Hex;
  readonly maxFeeWei: bigint;
  readonly tipWei: bigint;
  /** Not ours: somebody used the relayer's key by hand, or submits a payer's authorization. */
  readonly foreign?: true;
  readonly submits?: Submission;
  /** Absent for a stranger's. */
  readonly raw?: Hex;
};
type MinedTransaction = Transaction & {
  readonly reverted: boolean;
  readonly logs: readonly Log[];
  readonly settled: readonly SettleResult[];
  readonly resolved?: Played['resolved'];
  readonly gasUsed: bigint;
  readonly gasPriceWei: bigint;
};
export type Block = {
  readonly number: bigint;
  readonly hash: string;
  readonly timeSeconds: bigint;
  readonly baseFeeWei: bigint;
  readonly transactions: readonly MinedTransaction[];
  readonly state: ChainState;
};

export type SimulatedChain = {
  /** The longest chain, oldest block first. Replaced, never changed. */
  readonly blocks: () => readonly Block[];
  readonly head: () => Block;
  readonly sealedBy: (digest: Uint8Array, sender: string) => void;
  readonly read: (raw: Hex) => Transaction | undefined;
  /** Into the pool: what the node says. */
  readonly offer: (transaction: Transaction) => 'taken' | 'already known' | 'replacement transaction underpriced';
  readonly mine: () => Block;
  /** The newest blocks are replaced by others, one more than there were. */
  readonly reorganise: (depth: number) => void;
  /** Somebody's pool was full: this many transactions are nowhere any more. */
  readonly dropFromPool: (most: number) => number;
  /** Somebody uses the key of a relayer for something else, for more money than anybody has offered. */
  readonly useKey: (sender: string) => void;
  /** Somebody submits a payer's authorization to the token. */
  readonly submit: (submission: Submission) => void;
  readonly setBaseFee: (wei: bigint) => void;
  readonly calm: () => void;
  /** The sender's next nonce after what is in the pool. */
  readonly pendingNonce: (sender: string) => bigint;
  /** No pool has anything any more. */
  readonly emptyPool: () => void;
};

type Watchers = { readonly note: (what: string) => void; readonly onBlock: (block: Block) => void };

const BLOCK_SECONDS = 1n;
const MOST_IN_BLOCK = 4;

/** Undefined when it reverts, or calls nothing of ours. */
function playAny({ data, foreign, submits }: Transaction, before: ChainState, timeSeconds: bigint): Played | undefined {
  if (submits !== undefined) return playSubmission(before, submits, timeSeconds);
  if (foreign) return undefined;
  const played = playCall(before, data, timeSeconds);
  return 'refused' in played ? undefined : played;
}

/** Batches that carry one of `spoilers` beside others revert, and no simulation says so. */
export function createSimulatedChain(
  dice: Dice,
  genesis: ChainState,
  startSeconds: bigint,
  spoilers: ReadonlySet<string>,
  { note, onBlock }: Watchers,
): SimulatedChain {
  let calm = false;
  /** Stranded transfers whose transaction reverted once: a second time would leave them to a person. */
  const spared = new Set<string>();
  let baseFeeWei = 1_000_000_000n;
  let forks = 0;
  let strangers = 0;
  const senders = new Map<string, string>();
  const pool = new Map<string, Transaction>();
  /** What stands behind a stranger's: some pool has it still, and a fork may take it instead. */
  const overtaken = new Map<string, Transaction>();
  const newHash = (number: bigint) => {
    forks += 1;
    return `0x${forks.toString(16).padStart(24, 'a')}${number.toString(16).padStart(40, '0')}`;
  };
  let blocks: readonly Block[] = [
    { number: 100n, hash: newHash(100n), timeSeconds: startSeconds, baseFeeWei, transactions: [], state: genesis },
  ];
  const head = () => blocks.at(-1) as Block;

  const mineOne = (share: number): Block => {
    const { number, timeSeconds, state: before } = head();
    const transactions: MinedTransaction[] = [];
    let state: ChainState = { ...before, paused: false };
    const senders = new Set([...before.nonces.keys(), ...[...pool.values()].map(({ sender }) => sender)]);
    for (const sender of dice.shuffled([...senders])) {
      while (transactions.length < MOST_IN_BLOCK) {
        const next = pool.get(`${sender} ${state.nonces.get(sender) ?? 0n}`);
        if (next === undefined || next.maxFeeWei < baseFeeWei || dice.roll() > share) break;
        pool.delete(`${sender} ${next.nonce}`);
        const mined = execute(next, state, timeSeconds + BLOCK_SECONDS);
        state = mined.state;
        transactions.push(mined.transaction);
      }
    }
    const block = {
      number: number + 1n,
      hash: newHash(number + 1n),
      timeSeconds: timeSeconds + BLOCK_SECONDS,
      baseFeeWei,
      transactions,
      state,
    };
    blocks = [...blocks, block];
    onBlock(block);
    for (const { id, settled, reverted } of transactions) {
      note(
        `block ${block.number} ${id.slice(0, 10)} ${reverted ? 'reverted' : `settles ${settled.map(({ intentCode }) => intentCode).join(' ')}`}`,
      );
    }
    return block;
  };

  const execute = (transaction: Transaction, before: ChainState, timeSeconds: bigint) => {
    const nonces = new Map(before.nonces).set(transaction.sender, transaction.nonce + 1n);
    const { foreign, submits, data } = transaction;
    const ours = foreign === undefined;
    const isDirect = ours && isDirectCall(data);
    const items = isDirect ? directItemsOf(data) : ours ? itemsOf(data) : [];
    const isStranded = ours && isStrandedCall(data);
    const isSpared = spared.has(data);
    const unlucky = ours && !calm && dice.roll() < 0.04 && !isSpared;
    // A transaction with one payment reverts because the processor is paused until the block ends; a batch for no told reason.
    const paused = before.paused || (unlucky && items.length === 1 && !isDirect);
    const spoiled = items.length > 1 && items.some(({ payer }) => spoilers.has(payer));
    // No processor takes part in a direct payment.
    const isStopped = ours && (unlucky || spoiled || (paused && !isSpared && !isDirect));
    if (isStopped && isStranded) spared.add(data);
    const played = isStopped ? undefined : playAny(transaction, before, timeSeconds);
    const reverted = played === undefined && (ours || submits !== undefined);
    return {
      state: { ...(played?.state ?? before), nonces, paused },
      transaction: {
        ...transaction,
        reverted,
        logs: played?.logs ?? [],
        settled: played?.settled ?? [],
        ...(played?.resolved && { resolved: played.resolved }),
        gasUsed: 100_000n + 50_000n * BigInt(items.length),
        gasPriceWei: lesser(transaction.maxFeeWei, baseFeeWei + transaction.tipWei),
      },
    };
  };

  return {
    blocks: () => blocks,
    head,
    sealedBy: (digest, sender) => senders.set(Buffer.from(digest).toString('hex'), sender),
    read: (raw) => readTransaction(raw, senders),
    offer: (transaction) => {
      const place = `${transaction.sender} ${transaction.nonce}`;
      const there = pool.get(place);
      if (there?.id === transaction.id) return 'already known';
      if (there?.foreign) overtaken.set(place, transaction);
      const enough = (wei: bigint) => wei + wei / 10n;
      if (
        there !== undefined &&
        (transaction.maxFeeWei < enough(there.maxFeeWei) || transaction.tipWei < enough(there.tipWei))
      ) {
        return 'replacement transaction underpriced';
      }
      pool.set(place, transaction);
      return 'taken';
    },
    mine: () => mineOne(calm ? 1 : 0.85),
    reorganise: (depth) => {
      const gone = blocks.slice(-depth);
      blocks = blocks.slice(0, -depth);
      note(`reorg of ${depth} from block ${gone[0]?.number}`);
      for (const transaction of gone.flatMap(({ transactions }) => transactions)) {
        const {
          reverted: _r,
          logs: _l,
          settled: _s,
          resolved: _d,
          gasUsed: _g,
          gasPriceWei: _p,
          ...offered
        } = transaction;
        const place = `${offered.sender} ${offered.nonce}`;
        const other = offered.foreign && dice.roll() < 0.5 ? overtaken.get(place) : undefined;
        // Who uses a key by hand offers it again; were it gone for good, the lane would stop and wait for a person.
        const isKept = offered.foreign && offered.submits === undefined;
        if (!pool.has(place) && (dice.roll() < 0.7 || isKept)) pool.set(place, other ?? offered);
      }
      for (let mined = 0; mined <= depth; mined += 1) mineOne(0.5);
    },
    dropFromPool: (most) => {
      const ours = [...pool].filter(([, { foreign }]) => foreign === undefined).map(([place]) => place);
      const gone = dice.shuffled(ours).slice(0, most);
      for (const place of gone) pool.delete(place);
      return gone.length;
    },
    useKey: (sender) => {
      const nonce = head().state.nonces.get(sender) ?? 0n;
      strangers += 1;
      const id = `0x${strangers.toString(16).padStart(64, 'e')}`;
      note(`${id.slice(0, 10)} of a stranger under nonce ${nonce} of ${sender}`);
      const [maxFeeWei, tipWei] = [10n ** 12n, 10n ** 12n];
      const place = `${sender} ${nonce}`;
      const there = pool.get(place);
      if (there !== undefined) overtaken.set(place, there);
      pool.set(place, { id, sender, nonce, data: '0x', maxFeeWei, tipWei, foreign: true });
    },
    submit: (submits) => {
      strangers += 1;
      const id = `0x${strangers.toString(16).padStart(64, 'd')}`;
      const sender = `0x${strangers.toString(16).padStart(40, 'd')}`;
      note(`${id.slice(0, 10)} of a stranger submits the authorization of ${submits.payer}`);
      const fees = { maxFeeWei: 10n ** 12n, tipWei: 10n ** 12n };
      pool.set(`${sender} 0`, { id, sender, nonce: 0n, data: '0x', ...fees, foreign: true, submits });
    },
    setBaseFee: (wei) => {
      baseFeeWei = wei;
    },
    pendingNonce: (sender) => {
      let nonce = head().state.nonces.get(sender) ?? 0n;
      while (pool.has(`${sender} ${nonce}`)) nonce += 1n;
      return nonce;
    },
    emptyPool: () => pool.clear(),
    calm: () => {
      calm = true;
      baseFeeWei = 1_000_000_000n;
    },
  };
}

type Signed = ReturnType<typeof parseTransaction> & Readonly<Record<'r' | 's' | 'v' | 'yParity', unknown>>;

/** Who signed it is known by what was signed: recovering a key from a signature is what takes longest. */
function readTransaction(raw: Hex, senders: ReadonlyMap<string, string>): Transaction | undefined {
  const { r: _r, s: _s, v: _v, yParity: _yParity, ...unsigned } = parseTransaction(raw) as Signed;
  const digest = Buffer.from(hexToBytes(keccak256(serializeTransaction(unsigned)))).toString('hex');
  const sender = senders.get(digest);
  if (sender === undefined || unsigned.data === undefined) return undefined;
  return {
    id: keccak256(raw),
    raw,
    sender,
    nonce: BigInt(unsigned.nonce ?? 0),
    data: unsigned.data,
    maxFeeWei: unsigned.maxFeePerGas ?? 0n,
    tipWei: unsigned.maxPriorityFeePerGas ?? 0n,
  };
}

const lesser = (one: bigint, other: bigint) => (one < other ? one : other);
