// Installs a token ledger and its archive on a local Internet Computer, and mints on it.
import { createHash } from 'node:crypto';
import { IDL } from '@icp-sdk/core/candid';
import { Principal } from '@icp-sdk/core/principal';
import type { InstallOptions } from '../install-options.ts';
import type { CanisterAnswer } from '../vm/message.ts';
import { type CandidAccount, LEDGER_ARG, TRANSFER_ARG, TRANSFER_RESULT } from './ledger-candid.ts';
import { ledgerWasm } from './ledger-wasm.ts';

/** The ledger of ckUSDC, as on the real network. */
export const CKUSDC_LEDGER = 'xevnm-gaaaa-aaaar-qafnq-cai';

export type LocalLedgerOptions = {
  readonly canisterId?: string;
  readonly symbol?: string;
  readonly decimals?: number;
  readonly fee?: bigint;
  /** Once more than `above` blocks are in the ledger, the oldest `count` move to the archive, again and again. */
  readonly archive?: { readonly above: number; readonly count: number };
  /** Blocks say their kind by `btype`; by the `op` of their transaction, as the ledger of ckUSDC does, if absent. */
  readonly typedBlocks?: boolean;
  /** Blocks that are there from the beginning, each a mint to nobody: an index below is never a transfer's. */
  readonly blocksBefore?: number;
  /** Another ledger's WebAssembly, which takes the same arguments; ours if absent. It creates no archive. */
  readonly wasm?: Uint8Array;
};

export type LocalLedger = {
  readonly canisterId: Principal;
  readonly archiveId: Principal;
  readonly fee: bigint;
  readonly mintingAccount: CandidAccount;
  /** Returns the number of the block. */
  readonly mint: (to: CandidAccount, amountAtomic: bigint) => Promise<bigint>;
  /** A transfer that no signature was asked for. Returns the number of the block. */
  readonly transferAs: (from: Principal, transfer: LocalTransfer) => Promise<bigint>;
};

export type LocalTransfer = {
  readonly to: CandidAccount;
  readonly amountAtomic: bigint;
  readonly memo?: Uint8Array;
  readonly createdAtTime?: bigint;
};

/** The ledger has the same transfer already. */
export class DuplicateTransfer extends Error {
  readonly duplicateOf: bigint;

  constructor(duplicateOf: bigint) {
    super(`a duplicate of block ${duplicateOf}`);
    this.duplicateOf = duplicateOf;
  }
}

/** What a ledger needs of the local Internet Computer. */
export type LedgerHost = {
  readonly install: (options: InstallOptions) => unknown;
  /** A call that no signature was asked for. */
  readonly callAs: (
    caller: Principal,
    canisterId: Principal,
    method: string,
    arg: Uint8Array,
  ) => Promise<CanisterAnswer>;
};

const MINTER = selfMade('minter', [2]);
const NOBODY: CandidAccount = { owner: selfMade('nobody', [2]), subaccount: [] };

export async function installLedger(host: LedgerHost, options: LocalLedgerOptions = {}): Promise<LocalLedger> {
  const { canisterId: id = CKUSDC_LEDGER, symbol = 'ckUSDC', decimals = 6, fee = 10_000n } = options;
  const canisterId = Principal.fromText(id);
  const archiveId = selfMade(`archive of ${id}`, [1, 1]);
  const own = await ledgerWasm();
  const mintingAccount: CandidAccount = { owner: MINTER, subaccount: [] };
  const arg = ledgerArg({ symbol, decimals, fee, mintingAccount, archiveId, options });
  host.install({ canisterId: id, wasm: options.wasm ?? own.ledger, arg, controllers: [MINTER] });
  if (options.wasm === undefined) {
    const forLedger = new Uint8Array(IDL.encode([IDL.Principal], [canisterId]));
    host.install({ canisterId: archiveId.toText(), wasm: own.archive, arg: forLedger, controllers: [canisterId] });
  }
  const transferAs: LocalLedger['transferAs'] = async (from, { to, amountAtomic, memo, createdAtTime }) => {
    const asked = { to, amount: amountAtomic, memo: memo ? [memo] : [], from_subaccount: [], fee: [] };
    const transfer = { ...asked, created_at_time: createdAtTime === undefined ? [] : [createdAtTime] };
    const encoded = new Uint8Array(IDL.encode([TRANSFER_ARG], [transfer]));
    return blockOf(await host.callAs(from, canisterId, 'icrc1_transfer', encoded));
  };
  const mint = (to: CandidAccount, amountAtomic: bigint) => transferAs(MINTER, { to, amountAtomic });
  return { canisterId, archiveId, fee, mintingAccount, mint, transferAs };
}

type ArgParts = Pick<LocalLedger, 'archiveId' | 'fee' | 'mintingAccount'> & {
  readonly symbol: string;
  readonly decimals: number;
  readonly options: LocalLedgerOptions;
};

function ledgerArg({ symbol, decimals, fee, mintingAccount, archiveId, options }: ArgParts): Uint8Array {
  const { above = 2_000, count = 1_000 } = options.archive ?? {};
  const typed = options.typedBlocks === true ? [['local:typed-blocks', { Text: 'btype' }]] : [];
  const init = {
    minting_account: mintingAccount,
    fee_collector_account: [],
    transfer_fee: fee,
    decimals: [decimals],
    max_memo_length: [],
    token_symbol: symbol,
    token_name: symbol,
    metadata: [['local:archive', { Blob: archiveId.toUint8Array() }], ...typed],
    initial_balances: Array.from({ length: options.blocksBefore ?? 0 }, () => [NOBODY, 1n]),
    feature_flags: [{ icrc2: true }],
    archive_options: {
      num_blocks_to_archive: BigInt(count),
      max_transactions_per_response: [],
      trigger_threshold: BigInt(above),
      max_message_size_bytes: [],
      cycles_for_archive_creation: [],
      node_max_memory_size_bytes: [],
      controller_id: MINTER,
      more_controller_ids: [],
    },
    index_principal: [],
  };
  return new Uint8Array(IDL.encode([LEDGER_ARG], [{ Init: init }]));
}

type TransferResult = {
  readonly Ok?: bigint;
  readonly Err?: { readonly Duplicate?: { readonly duplicate_of: bigint } };
};

function blockOf(answer: CanisterAnswer): bigint {
  if (answer.kind === 'reject') throw new Error(answer.message);
  const [{ Ok, Err }] = IDL.decode([TRANSFER_RESULT], answer.reply) as unknown as [TransferResult];
  if (Ok !== undefined) return Ok;
  if (Err?.Duplicate !== undefined) throw new DuplicateTransfer(Err.Duplicate.duplicate_of);
  throw new Error(`not transferred: ${Object.keys(Err ?? {}).join()}`);
}

/** A principal that a name stands for, of the kind that the last bytes say. */
function selfMade(name: string, kind: readonly number[]): Principal {
  const hash = createHash('sha256').update(name).digest();
  return Principal.fromUint8Array(Uint8Array.from([...hash.subarray(0, kind.length === 2 ? 8 : 28), ...kind]));
}
