// npm run svc -- <command>: the operator's command, for terminals and scripts.
import { createInterface } from 'node:readline/promises';
import { systemClock } from '@svc-pay/core';
import { paintFor } from '@svc-pay/runtime/terminal/paint';
import type { Context } from './command/context.ts';
import { runCommandLine } from './command/run-command-line.ts';
import { ownEnvironment } from './config.ts';

const { stdin, stdout, stderr } = process;
const colours = (stream: NodeJS.WriteStream) => stream.isTTY && stream.hasColors();

// A reader such as `head` may close our output early: that is not an error.
stdout.on('error', (problem: NodeJS.ErrnoException) => {
  if (problem.code !== 'EPIPE') throw problem;
});

const context: Context = {
  clock: systemClock,
  environment: ownEnvironment(),
  paint: paintFor(colours(stdout)),
  print: (text) => stderr.write(text),
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
