// Debian packages whose programs tests run, of Debian 12. A new version is a commit: version, digests, and the tests green.
import type { DebianPackage } from './debian-package.ts';

/** Prometheus and `promtool`. */
export const PROMETHEUS: DebianPackage = {
  name: 'prometheus',
  version: '2.42.0+ds-5+deb12u1',
  sha256: {
    amd64: '81d59a24fce84f7fbe97a45a4f2914b6a5881b5cd1db2a6a0e129e515e1a5f55',
    arm64: 'ca131aa102390083398afbc80be9c8dd1dda78f9f92154fc00df8f7f1f4556e9',
  },
};
