// Compiles Motoko to a canister's WebAssembly. The compiler is a package and takes seconds, so what it made is kept on disk
// by the hash of everything that went in; two processes that compile the same write the same file.
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** File names relative to the actor's folder, with their text. */
export type MotokoSources = Readonly<Record<string, string>>;

const CACHE = fileURLToPath(new URL('../../../../../../.cache/motoko/', import.meta.url));
/** The package's version: another compiler makes another module. */
const COMPILER = 'motoko 4.10.0';

/**
 * `small` has 32-bit memory and collects garbage after every message: a few megabytes, which are quick to copy before each
 * message. `wide` has 64-bit memory and lets it grow, as Motoko's compiler does by itself.
 */
const RUNTIMES = {
  small: ['classicOP', 'copying', 'force'],
  wide: ['enhancedOP', 'incremental', 'scheduling'],
} as const;

type MotokoRuntime = keyof typeof RUNTIMES;

export type MotokoWork = { readonly sources: MotokoSources; readonly main: string; readonly flags: readonly string[] };

export async function compileMotoko(sources: MotokoSources, main: string, runtime: MotokoRuntime): Promise<Uint8Array> {
  const kept = path.join(CACHE, `${hashOf(sources, main, runtime)}.wasm`);
  if (existsSync(kept)) return readFile(kept);
  const wasm = await compile(sources, main, runtime);
  await mkdir(CACHE, { recursive: true });
  const fresh = `${kept}.${randomUUID()}`;
  await writeFile(fresh, wasm);
  await rename(fresh, kept);
  return wasm;
}

/** In a thread of its own: the compiler works for seconds without a pause, and whoever starts it starts other things too. */
async function compile(sources: MotokoSources, main: string, runtime: MotokoRuntime): Promise<Uint8Array> {
  const asked: MotokoWork = { sources, main, flags: RUNTIMES[runtime] };
  const worker = new Worker(new URL('motoko-worker.ts', import.meta.url), { workerData: asked });
  const ended = once(worker, 'exit').then(() => Promise.reject(new Error(`${main} was not compiled`)));
  const [wasm] = (await Promise.race([once(worker, 'message'), ended])) as [Uint8Array];
  return wasm;
}

function hashOf(sources: MotokoSources, main: string, runtime: MotokoRuntime): string {
  const hash = createHash('sha256').update(JSON.stringify([COMPILER, main, runtime]));
  for (const [file, text] of Object.entries(sources)) hash.update(JSON.stringify([file, text]));
  return hash.digest('hex');
}
