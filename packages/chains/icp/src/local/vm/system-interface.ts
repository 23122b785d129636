// The `ic0` imports of a canister: how its WebAssembly reads the message and tells what should happen. Functions take and
// return plain numbers or bigints; the width that the module wants is applied by `importsFor`.
import type { CanisterInstance } from './canister-instance.ts';
import { CanisterTrap } from './canister-trap.ts';
import type { Execution } from './execution.ts';
import type { StableMemory } from './stable-memory.ts';
import type { PreparedWasm } from './wasm-binary.ts';
import type { WasmImports } from './web-assembly.ts';

/** What the system knows of a canister while one of its messages runs. */
type Surroundings = {
  readonly id: Uint8Array;
  readonly stable: StableMemory;
  readonly instance: () => CanisterInstance;
  readonly execution: () => Execution;
  readonly nowNanoseconds: () => bigint;
  readonly timer: () => bigint;
  readonly version: () => bigint;
  readonly isController: (principal: Uint8Array) => boolean;
  readonly log: (line: string) => void;
};

type SystemFunction = (...values: number[]) => number | bigint | void;
type SystemFunctions = Readonly<Record<string, SystemFunction>>;

/** More cycles than any test spends: nothing here is paid for. */
const CYCLES = 10n ** 15n;

export function importsFor(wasm: PreparedWasm, surroundings: Surroundings): WasmImports {
  const functions: SystemFunctions = {
    ...messageFunctions(surroundings),
    ...stableFunctions(surroundings),
    ...callFunctions(surroundings),
    ...certificationFunctions(surroundings),
    ...cycleFunctions(surroundings),
    ...environmentFunctions(surroundings),
  };
  const adapted = wasm.imports.map((name) => {
    const run = functions[name] ?? (() => trapWith(`ic0.${name} is not there in the local Internet Computer`));
    const width = wasm.returnsWide.has(name) ? BigInt : Number;
    const adaptedRun = (...values: (number | bigint)[]) => {
      surroundings.execution().checkTime();
      const result = run(...values.map(unsigned));
      return result === undefined ? undefined : width(result);
    };
    return [name, adaptedRun] as const;
  });
  return { ic0: Object.fromEntries(adapted) };
}

function trapWith(message: string): never {
  throw new CanisterTrap(message);
}

/** WebAssembly hands numbers over as signed ones. */
const unsigned = (value: number | bigint) =>
  typeof value === 'bigint' ? Number(BigInt.asUintN(64, value)) : value >>> 0;

/** Reading and writing the canister's memory. */
function memoryOf({ instance }: Surroundings) {
  const view = (at: number, length: number) => {
    try {
      return instance().view(at, length);
    } catch (error) {
      throw new CanisterTrap('memory out of bounds', { cause: error });
    }
  };
  return {
    read: (at: number, length: number) => view(at, length).slice(),
    text: (at: number, length: number) => new TextDecoder().decode(view(at, length)),
    write: (at: number, bytes: Uint8Array) => view(at, bytes.length).set(bytes),
    view,
    /** The `_copy` functions: part of what the system holds goes into the canister's memory. */
    copy: (source: Uint8Array, at: number, offset: number, length: number) => {
      if (offset + length > source.length) throw new CanisterTrap('copied past the end');
      view(at, length).set(source.subarray(offset, offset + length));
    },
  };
}

/** A size function and a copy function for what `bytes` returns. */
function sized(name: string, surroundings: Surroundings, bytes: () => Uint8Array): SystemFunctions {
  const { copy } = memoryOf(surroundings);
  return {
    [`${name}_size`]: () => bytes().length,
    [`${name}_copy`]: (at = 0, offset = 0, length = 0) => copy(bytes(), at, offset, length),
  };
}

function messageFunctions(surroundings: Surroundings): SystemFunctions {
  const { execution } = surroundings;
  const { read, text } = memoryOf(surroundings);
  const message = () => execution().message;
  return {
    ...sized('msg_arg_data', surroundings, () => message().arg),
    ...sized('msg_caller', surroundings, () => message().caller),
    ...sized('msg_method_name', surroundings, () => Buffer.from(message().method)),
    ...sized('msg_reject_msg', surroundings, () => Buffer.from(message().rejectMessage)),
    ...sized('canister_self', surroundings, () => surroundings.id),
    msg_reject_code: () => message().rejectCode,
    msg_deadline: () => 0n,
    msg_reply_data_append: (at = 0, length = 0) => execution().appendReply(read(at, length)),
    msg_reply: () => execution().reply(),
    msg_reject: (at = 0, length = 0) => execution().reject(text(at, length)),
    accept_message: () => {
      execution().effects.accepted = true;
    },
  };
}

function stableFunctions(surroundings: Surroundings): SystemFunctions {
  const { stable } = surroundings;
  const { view } = memoryOf(surroundings);
  const size = () => stable.pages;
  const grow = (pages = 0) => stable.grow(pages);
  const read = (at = 0, offset = 0, length = 0) => stable.read(offset, view(at, length));
  const write = (offset = 0, at = 0, length = 0) => stable.write(offset, view(at, length));
  return {
    stable_size: size,
    stable_grow: grow,
    stable_read: read,
    stable_write: write,
    stable64_size: size,
    stable64_grow: grow,
    stable64_read: read,
    stable64_write: write,
  };
}

function callFunctions(surroundings: Surroundings): SystemFunctions {
  const { execution } = surroundings;
  const { read, text } = memoryOf(surroundings);
  return {
    call_new: (...values) => {
      const [callee = 0, calleeSize = 0, name = 0, nameSize = 0, ...callbacks] = values;
      const [reply = 0, replyEnvironment = 0, reject = 0, rejectEnvironment = 0] = callbacks;
      execution().beginCall({
        callee: read(callee, calleeSize),
        method: text(name, nameSize),
        onReply: { index: reply, environment: replyEnvironment },
        onReject: { index: reject, environment: rejectEnvironment },
        onCleanup: undefined,
        parts: [],
      });
    },
    call_on_cleanup: (index = 0, environment = 0) => {
      execution().pendingCall().onCleanup = { index, environment };
    },
    call_data_append: (at = 0, length = 0) => {
      execution().pendingCall().parts.push(read(at, length));
    },
    // Calls here neither cost cycles nor time out.
    call_cycles_add: () => {},
    call_cycles_add128: () => {},
    call_with_best_effort_response: () => {},
    call_perform: () => execution().performCall(),
  };
}

function certificationFunctions(surroundings: Surroundings): SystemFunctions {
  const { execution } = surroundings;
  const { read } = memoryOf(surroundings);
  return {
    ...sized('data_certificate', surroundings, () => execution().certificate()),
    data_certificate_present: () => (execution().message.dataCertificate === undefined ? 0 : 1),
    certified_data_set: (at = 0, length = 0) => {
      execution().refuseIn('query', 'inspect');
      if (length > 32) throw new CanisterTrap('certified data is at most 32 bytes');
      execution().effects.certifiedData = read(at, length);
    },
  };
}

function cycleFunctions(surroundings: Surroundings): SystemFunctions {
  const { write } = memoryOf(surroundings);
  const put = (at: number, cycles: bigint) => {
    const bytes = Buffer.alloc(16);
    bytes.writeBigUInt64LE(cycles);
    write(at, bytes);
  };
  return {
    canister_cycle_balance: () => CYCLES,
    canister_cycle_balance128: (at = 0) => put(at, CYCLES),
    canister_liquid_cycle_balance128: (at = 0) => put(at, CYCLES),
    msg_cycles_available: () => 0n,
    msg_cycles_available128: (at = 0) => put(at, 0n),
    msg_cycles_refunded: () => 0n,
    msg_cycles_refunded128: (at = 0) => put(at, 0n),
    msg_cycles_accept: () => 0n,
    msg_cycles_accept128: (_high, _low, at = 0) => put(at, 0n),
    cycles_burn128: (_high, _low, at = 0) => put(at, 0n),
  };
}

function environmentFunctions(surroundings: Surroundings): SystemFunctions {
  const { execution } = surroundings;
  const { read, text } = memoryOf(surroundings);
  return {
    time: surroundings.nowNanoseconds,
    performance_counter: () => BigInt(Math.round(execution().elapsedMs() * 1_000_000)),
    canister_version: surroundings.version,
    canister_status: () => 1,
    is_controller: (at = 0, length = 0) => (surroundings.isController(read(at, length)) ? 1 : 0),
    in_replicated_execution: () => (execution().message.dataCertificate === undefined ? 1 : 0),
    global_timer_set: (...values) => {
      execution().refuseIn('query', 'inspect');
      const before = execution().effects.timer ?? surroundings.timer();
      execution().effects.timer = BigInt(values[0] ?? 0);
      return before;
    },
    debug_print: (at = 0, length = 0) => surroundings.log(text(at, length)),
    trap: (at = 0, length = 0) => trapWith(text(at, length)),
  };
}
