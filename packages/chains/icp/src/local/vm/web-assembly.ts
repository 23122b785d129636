// The part of JavaScript's WebAssembly that runs a canister. The types of Node do not have it, and those of browsers do not
// know 64-bit memories.

export type WasmMemory = { readonly buffer: ArrayBuffer; readonly grow: (pages: number | bigint) => unknown };
export type WasmTable = { readonly get: (index: number | bigint) => unknown };
export type WasmGlobal = { value: unknown };
export type WasmModule = object;
export type WasmInstance = { readonly exports: Readonly<Record<string, unknown>> };
export type WasmImports = Readonly<
  Record<string, Readonly<Record<string, (...values: (number | bigint)[]) => unknown>>>
>;

type WebAssemblyInterface = {
  readonly Module: {
    new (bytes: Uint8Array<ArrayBuffer>): WasmModule;
    readonly customSections: (module: WasmModule, name: string) => readonly ArrayBuffer[];
  };
  readonly Instance: new (module: WasmModule, imports: WasmImports) => WasmInstance;
};

export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyInterface }).WebAssembly;
