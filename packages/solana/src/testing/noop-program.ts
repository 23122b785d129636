// About the smallest program there is: it takes any data and says yes (`r0 = 0`, `exit`). A deflated ELF.
import { inflateRawSync } from 'node:zlib';

const DEFLATED =
  'rZIxTsNAEEW/7TgxUGBAilympFpBh0TjBiruYDmJFUckBNlbkIoKiQvkLHAMjkDJDaAzsvkD6xWRhcSXrLcjzfcfe+f+4urSdRyIPLyjrt5Yx+TI/W5BjDN4iBFg0PT6Rr/NkcWArH09ACGjbb6gTfG59EXss3mLNsX3RG7IhxCoqqra4HcdSD7fe8g6JI+suk8+st9n/cx6l/UQf5NjZLRUrhbJLNNJqdPJdZJn81muAXzgJ6+JVjq701DFaprqFGq6vkmX80lzKNfLL+oCqsgW9RmqzEtd6HSMf5HDp9+xH7DuSzSgX9bP3pOgw7/PbPFv2xff8ss/jwDsGX65X+GJ4XcMf2R8n2f4ZR+Ew475jwHsGH7ZR6HM2dsy/ynzbb3Sf96R/wk=';

export const noopProgram = () => Uint8Array.from(inflateRawSync(Buffer.from(DEFLATED, 'base64')));
