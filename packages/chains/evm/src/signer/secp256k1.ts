// libsecp256k1 as native code, for signing with relayer keys and for recovering signers. Without a native build the
// package's own entry silently falls back to `elliptic`: 40 times slower, and not constant-time for secret keys. Hence
// the binding is loaded directly, and a process without it does not start.
import { createRequire } from 'node:module';
import type * as Secp256k1 from 'secp256k1';

export const secp256k1 = loadBinding();

function loadBinding(): typeof Secp256k1 {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js') as typeof Secp256k1;
  } catch (problem) {
    throw new Error(
      `secp256k1 has no native build for ${process.platform}-${process.arch} that this process can load. Builds for ` +
        'linux-x64, darwin-arm64 and win32-x64 are in the package. Elsewhere build it once, with a C++ compiler and Python ' +
        'installed: npm rebuild secp256k1 --ignore-scripts=false',
      { cause: problem },
    );
  }
}
