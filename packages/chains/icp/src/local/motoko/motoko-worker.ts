// Thread that compiles one actor and ends.
import { parentPort, workerData } from 'node:worker_threads';
import motoko from 'motoko';
import core from 'motoko/packages/latest/core.json' with { type: 'json' };
import type { MotokoWork } from './compile-motoko.ts';

const { sources, main, flags } = workerData as MotokoWork;
const compiler = motoko.default;
compiler.loadPackage(core);
for (const [file, text] of Object.entries(sources)) compiler.write(file, text);
for (const flag of flags) compiler.compiler.gcFlags(flag);
compiler.setPublicMetadata(['candid:service']);
const wasm = Uint8Array.from((compiler.wasm(main, 'ic') as { readonly wasm: Uint8Array }).wasm);
parentPort?.postMessage(wasm, [wasm.buffer]);
