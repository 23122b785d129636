#!/usr/bin/env node
// The part of the `solc` command line that forge calls, over the compiler that npm brings (WASM, no download).
// forge puts every source into the JSON it sends, so no import callback is needed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

type Compiler = { version(): string; compile(standardJson: string): string };

const require = createRequire(import.meta.url);
const loadCompiler = (): Compiler => require('solc') as Compiler;

const packageVersion = (require('solc/package.json') as { version: string }).version;
const stampFile = path.resolve(import.meta.dirname, `../../.cache/contracts/solc-${packageVersion}.version`);

/** forge asks for the version on every run; starting the compiler for it costs half a second, so it is kept. */
function longVersion(): string {
  try {
    return readFileSync(stampFile, 'utf8');
  } catch {
    const version = loadCompiler().version();
    mkdirSync(path.dirname(stampFile), { recursive: true });
    writeFileSync(stampFile, version);
    return version;
  }
}

const flags = process.argv.slice(2);
if (flags.includes('--version')) {
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${longVersion()}\n`);
} else if (flags.includes('--standard-json')) {
  process.stdout.write(loadCompiler().compile(readFileSync(0, 'utf8')));
} else {
  process.stderr.write(`solc: not supported here: ${flags.join(' ')}\n`);
  process.exitCode = 64;
}
