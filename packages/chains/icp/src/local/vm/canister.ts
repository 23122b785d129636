// One canister: its code, its memories and what the system keeps for it. A message runs to its end or leaves no trace.
import { createHash } from 'node:crypto';
import { CanisterInstance } from './canister-instance.ts';
import { Execution } from './execution.ts';
import type { Effects, Message, Outcome } from './message.ts';
import { StableMemory } from './stable-memory.ts';
import { importsFor } from './system-interface.ts';
import { prepareWasm } from './wasm-binary.ts';

export type CanisterOptions = {
  readonly id: Uint8Array;
  /** WebAssembly, plain or gzipped. */
  readonly wasm: Uint8Array;
  readonly controllers: readonly Uint8Array[];
  readonly nowNanoseconds: () => bigint;
  /** Milliseconds that one message may take. */
  readonly messageLimitMs: number;
};

const MAX_LOG_LINES = 200;

export class Canister {
  readonly id: Uint8Array;
  readonly controllers: readonly Uint8Array[];
  readonly moduleHash: Uint8Array;
  /** What the canister printed, the newest last. */
  readonly log: string[] = [];
  readonly #instance: CanisterInstance;
  readonly #stable = new StableMemory();
  readonly #limitMs: number;
  #execution: Execution;
  #certifiedData: Uint8Array = new Uint8Array();
  #timer = 0n;
  #version = 1n;

  constructor({ id, wasm, controllers, nowNanoseconds, messageLimitMs }: CanisterOptions) {
    this.id = id;
    this.controllers = controllers;
    this.moduleHash = createHash('sha256').update(wasm).digest();
    this.#limitMs = messageLimitMs;
    this.#execution = this.#startExecution();
    const prepared = prepareWasm(wasm);
    const imports = importsFor(prepared, {
      id,
      stable: this.#stable,
      instance: () => this.#instance,
      execution: () => this.#execution,
      nowNanoseconds,
      timer: () => this.#timer,
      version: () => this.#version,
      isController: (principal) => controllers.some((controller) => Buffer.compare(controller, principal) === 0),
      log: (line) => this.#print(line),
    });
    this.#instance = new CanisterInstance(prepared, imports);
  }

  get certifiedData(): Uint8Array {
    return this.#certifiedData;
  }

  /** Nanoseconds at which the canister wants to be woken; 0 for never. */
  get timer(): bigint {
    return this.#timer;
  }

  has(entry: string): boolean {
    return this.#instance.has(entry);
  }

  publicSection(name: string): Uint8Array | undefined {
    return this.#instance.publicSection(name);
  }

  /** The timer that fired is set no more. */
  clearTimer(): void {
    this.#timer = 0n;
  }

  run(message: Message): Outcome {
    const execution = new Execution(message, this.#limitMs);
    this.#execution = execution;
    this.#instance.checkpoint();
    try {
      if (typeof message.entry === 'string') this.#instance.run(message.entry);
      else this.#instance.runCallback(message.entry.index, message.entry.environment);
      execution.checkTime();
    } catch (error) {
      this.#rollback();
      return { kind: 'trapped', message: error instanceof Error ? error.message : String(error) };
    }
    if (message.kind === 'query' || message.kind === 'inspect') this.#rollback();
    else this.#commit(execution.effects);
    return { kind: 'done', effects: execution.effects };
  }

  #commit({ certifiedData, timer }: Effects): void {
    this.#certifiedData = certifiedData ?? this.#certifiedData;
    this.#timer = timer ?? this.#timer;
    this.#version += 1n;
    this.#stable.commit();
    this.#instance.commit();
  }

  /** A replaced instance runs its start function, so stable memory comes back last. */
  #rollback(): void {
    this.#execution = this.#startExecution();
    this.#instance.rollback();
    this.#stable.rollback();
  }

  /** What the module's start function runs in, which belongs to no message. */
  #startExecution(): Execution {
    return new Execution({ ...NO_MESSAGE, kind: 'init' }, this.#limitMs);
  }

  #print(line: string): void {
    this.log.push(line);
    if (this.log.length > MAX_LOG_LINES) this.log.shift();
  }
}

export const NO_MESSAGE: Message = {
  kind: 'update',
  entry: '',
  caller: new Uint8Array(),
  method: '',
  arg: new Uint8Array(),
  rejectCode: 0,
  rejectMessage: '',
  answered: false,
  dataCertificate: undefined,
};
