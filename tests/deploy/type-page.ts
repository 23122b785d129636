// Types the script of a page into a machine, pays what the page asks for, and tells how long each block takes.
import type { EmptyMachine } from './empty-machine.ts';
import { announcedIn } from './page-blocks.ts';
import { type Reader, trustCaddy } from './reader.ts';

export type Typed = {
  readonly exitCode: number | null;
  readonly seconds: number;
  /** Everything that was printed, without announcements. */
  readonly output: readonly string[];
};

const TRUST_EVERY_MS = 250;

export async function typePage(machine: EmptyMachine, script: string, reader: Reader): Promise<Typed> {
  const startMs = performance.now();
  const secondsSince = (fromMs: number) => (performance.now() - fromMs) / 1_000;
  const output: string[] = [];
  const paid: Promise<void>[] = [];
  let block = { line: '', fromMs: startMs };
  const announce = (line: string) => {
    if (block.line !== '') console.log(`line ${block.line}: ${secondsSince(block.fromMs).toFixed(1)} s`);
    block = { line, fromMs: performance.now() };
  };
  const trust = setInterval(() => {
    if (trustCaddy(machine.liveFileOf)) clearInterval(trust);
  }, TRUST_EVERY_MS);
  const exitCode = await machine.type(script, (text) => {
    const line = announcedIn(text);
    if (line === undefined) output.push(text);
    else announce(line);
    paid.push(reader.hear(text));
  });
  clearInterval(trust);
  await Promise.all(paid);
  const seconds = secondsSince(startMs);
  console.log(`the whole page: ${(seconds / 60).toFixed(1)} minutes`);
  return { exitCode, seconds, output };
}
