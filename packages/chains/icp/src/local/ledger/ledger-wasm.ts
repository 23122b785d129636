// The WebAssembly of our ledger and of its archive, compiled from the Motoko beside this file.
import { readdir, readFile } from 'node:fs/promises';
import { compileMotoko, type MotokoSources } from '../motoko/compile-motoko.ts';

const FOLDER = new URL('./', import.meta.url);

export async function ledgerWasm(): Promise<{ readonly ledger: Uint8Array; readonly archive: Uint8Array }> {
  const sources = await readSources();
  const [ledger, archive] = await Promise.all(
    ['Ledger.mo', 'Archive.mo'].map((main) => compileMotoko(sources, main, 'small')),
  );
  if (ledger === undefined || archive === undefined) throw new Error('the ledger was not compiled');
  return { ledger, archive };
}

async function readSources(): Promise<MotokoSources> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.mo')).sort();
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(new URL(file, FOLDER), 'utf8')] as const)),
  );
}
