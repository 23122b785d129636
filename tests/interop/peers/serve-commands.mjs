// Answers the commands of a test, a line of JSON each. `commands` maps names to functions of what was given.
import { createInterface } from 'node:readline';

export const settings = JSON.parse(process.argv[2] ?? '{}');

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

export function serveCommands(commands, ready = {}) {
  createInterface({ input: process.stdin }).on('line', async (text) => {
    const { id, command, ...given } = JSON.parse(text);
    try {
      const value = await commands[command](given);
      print({ id, ok: true, value: value ?? null });
    } catch (problem) {
      print({ id, ok: false, error: String(problem?.message ?? problem) });
    }
  });
  print({ ready });
}
