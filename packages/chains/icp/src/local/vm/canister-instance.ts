// A canister's WebAssembly instance whose memory and globals can be put back to what the last committed message left.
import { MEMORY_EXPORT, type PreparedWasm, TABLE_EXPORT } from './wasm-binary.ts';
import {
  type WasmGlobal,
  type WasmImports,
  type WasmInstance,
  type WasmMemory,
  type WasmModule,
  type WasmTable,
  webAssembly,
} from './web-assembly.ts';

type Snapshot = { readonly length: number; readonly globals: readonly unknown[] };

const PAGE_BYTES = 65_536;

export class CanisterInstance {
  readonly #wasm: PreparedWasm;
  readonly #module: WasmModule;
  readonly #imports: WasmImports;
  #instance: WasmInstance;
  /** Undefined while a committed message is newer than the last snapshot. */
  #snapshot: Snapshot | undefined;
  /** The memory's bytes of the snapshot. One buffer serves all of them: to map a new one takes longer than to fill it. */
  #bytes: Uint8Array = new Uint8Array();

  constructor(wasm: PreparedWasm, imports: WasmImports) {
    this.#wasm = wasm;
    this.#module = new webAssembly.Module(wasm.bytes);
    this.#imports = imports;
    this.#instance = new webAssembly.Instance(this.#module, imports);
  }

  has(entry: string): boolean {
    return typeof this.#instance.exports[entry] === 'function';
  }

  run(entry: string): void {
    const start = this.#instance.exports[entry];
    if (typeof start !== 'function') throw new Error(`the canister has no ${entry}`);
    start();
  }

  /** Calls a function of the table, as callbacks are. */
  runCallback(index: number, environment: number): void {
    const table = this.#instance.exports[TABLE_EXPORT] as WasmTable;
    const callback: unknown = table.get(wide(index, this.#wasm.wideTable));
    if (typeof callback !== 'function') throw new Error('the callback is no function');
    callback(wide(environment, this.#wasm.wide));
  }

  /** A view of the canister's memory; it is detached when the memory grows. */
  view(offset: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, offset, length);
  }

  publicSection(name: string): Uint8Array | undefined {
    const [section] = webAssembly.Module.customSections(this.#module, `icp:public ${name}`);
    return section === undefined ? undefined : new Uint8Array(section);
  }

  /** Remembers what a rollback puts back. */
  checkpoint(): void {
    if (this.#snapshot !== undefined) return;
    const memory = new Uint8Array(this.#memory.buffer);
    if (memory.length > this.#bytes.length) this.#bytes = new Uint8Array(memory.length * 2);
    this.#bytes.set(memory);
    this.#snapshot = { length: memory.length, globals: this.#globals.map((global) => global.value) };
  }

  commit(): void {
    this.#snapshot = undefined;
  }

  rollback(): void {
    const snapshot = this.#snapshot;
    if (snapshot === undefined) throw new Error('nothing was remembered');
    // A memory never shrinks: one that grew is replaced.
    if (this.#memory.buffer.byteLength !== snapshot.length) this.#replace(snapshot.length);
    new Uint8Array(this.#memory.buffer).set(this.#bytes.subarray(0, snapshot.length));
    for (const [index, global] of this.#globals.entries()) global.value = snapshot.globals[index];
  }

  #replace(bytes: number): void {
    this.#instance = new webAssembly.Instance(this.#module, this.#imports);
    const missing = (bytes - this.#memory.buffer.byteLength) / PAGE_BYTES;
    if (missing > 0) this.#memory.grow(wide(missing, this.#wasm.wide));
  }

  get #memory(): WasmMemory {
    return this.#instance.exports[MEMORY_EXPORT] as WasmMemory;
  }

  get #globals(): WasmGlobal[] {
    return this.#wasm.globals.map((name) => this.#instance.exports[name] as WasmGlobal);
  }
}

const wide = (value: number, isWide: boolean) => (isWide ? BigInt(value) : value);
