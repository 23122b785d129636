// The Node that runs a release is the pinned one: its compressor makes the layers, and it runs every tool.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Undefined if this program is the one with the given sha256. */
export function nodeProblem(pinnedSha256: string, program = process.execPath): string | undefined {
  const sha256 = createHash('sha256').update(readFileSync(program)).digest('hex');
  if (sha256 === pinnedSha256) return undefined;
  return (
    `${program} is not the Node that .ci/with-node pins: its sha256 is ${sha256}, the pinned one has ${pinnedSha256}; ` +
    'take other Nodes of version 24 off PATH, remove .cache/node and run the command again'
  );
}
