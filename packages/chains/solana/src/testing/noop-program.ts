// A minimal program that accepts any data and succeeds (`r0 = 0`, `exit`), as a deflated ELF.
import { inflateRawSync } from 'node:zlib';

const DEFLATED =
  'rZIxTsNAEEW/7TgxUGBAilympFpBh0TjBiruYDmJFUckBNlbkIoKiQvkLHAMjkDJDaAzsvkD6xWRhcSXrLcjzfcfe+f+4urSdRyIPLyjrt5Yx+TI/W5BjDN4iBFg0PT6Rr/NkcWArH09ACGjbb6gTfG59EXss3mLNsX3RG7IhxCoqqra4HcdSD7fe8g6JI+suk8+st9n/cx6l/UQf5NjZLRUrhbJLNNJqdPJdZJn81muAXzgJ6+JVjq701DFaprqFGq6vkmX80lzKNfLL+oCqsgW9RmqzEtd6HSMf5HDp9+xH7DuSzSgX9bP3pOgw7/PbPFv2xff8ss/jwDsGX65X+GJ4XcMf2R8n2f4ZR+Ew475jwHsGH7ZR6HM2dsy/ynzbb3Sf96R/wk=';

/** `mov64 r0, 0`; the last four bytes are the return value. */
const SAYS_YES = Buffer.from('b700000000000000', 'hex');

/** A program that always fails with `code`. */
export function refusingProgram(code: number): Uint8Array {
  const program = Buffer.from(noopProgram());
  program.writeInt32LE(code, program.indexOf(SAYS_YES) + 4);
  return Uint8Array.from(program);
}

export const noopProgram = () => Uint8Array.from(inflateRawSync(Buffer.from(DEFLATED, 'base64')));
