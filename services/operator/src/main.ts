// npm run svc -- <command>: what an operator does from a terminal or a script.
import { createInterface } from 'node:readline/promises';
import { systemClock } from '@svc-pay/core';
import type { Context } from './command/context.ts';
import { runCommandLine } from './command/run-command-line.ts';
import { ownEnvironment } from './config.ts';
import { paintFor } from './output/paint.ts';

const { stdin, stdout, stderr } = process;
const colours = (stream: NodeJS.WriteStream) => stream.isTTY && stream.hasColors();

// Whoever reads our output may stop reading, as `head` does: that is no failure.
stdout.on('error', (problem: NodeJS.ErrnoException) => {
  if (problem.code !== 'EPIPE') throw problem;
});

const context: Context = {
  clock: systemClock,
  environment: ownEnvironment(),
  paint: paintFor(colours(stdout)),
  say: (text) => stderr.write(text),
  ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
};

process.exitCode = await runCommandLine(process.argv.slice(2), context, {
  out: (text) => stdout.write(text),
  error: (text) => stderr.write(text),
  outputOnTerminal: colours(stdout),
  errorPaint: paintFor(colours(stderr)),
});

async function ask(question: string): Promise<string> {
  const person = createInterface({ input: stdin, output: stderr });
  try {
    return await person.question(question);
  } finally {
    person.close();
  }
}
