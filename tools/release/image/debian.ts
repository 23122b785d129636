// The Debian packages of the image, by hash: what Node's binary links against, and tini as process 1. Node brings its own
// certificates and time zones. A security update of Debian is a new line here.
import { execFileSync } from 'node:child_process';
import { readTar, type TarEntry } from './tar.ts';

export type DebianPackage = {
  readonly name: string;
  readonly version: string;
  /** Below the root of any mirror of Debian 13. */
  readonly pool: string;
  readonly sha256: string;
};

export const DEBIAN_PACKAGES: readonly DebianPackage[] = [
  {
    name: 'libc6',
    version: '2.41-12+deb13u4',
    pool: 'pool/main/g/glibc/libc6_2.41-12+deb13u4_amd64.deb',
    sha256: '967aa62605721081c3eb2a17650611a792aa802d76a6511d1840242623d204c9',
  },
  {
    name: 'libstdc++6',
    version: '14.2.0-19',
    pool: 'pool/main/g/gcc-14/libstdc++6_14.2.0-19_amd64.deb',
    sha256: 'ab1fa05837aa7a92aae748fd07a18a35f7d18bb4a71c4724fe2bbf0e32089de0',
  },
  {
    name: 'libgcc-s1',
    version: '14.2.0-19',
    pool: 'pool/main/g/gcc-14/libgcc-s1_14.2.0-19_amd64.deb',
    sha256: '3c71917b490d1a17aed43196a2787a256ecf060526cdb20216a74bedc061b150',
  },
  // The licence of the two before it.
  {
    name: 'gcc-14-base',
    version: '14.2.0-19',
    pool: 'pool/main/g/gcc-14/gcc-14-base_14.2.0-19_amd64.deb',
    sha256: '5b6825de4263824b78c4c51f6476414f3b4e89c2ab63e81dc8b9b5501e867cf6',
  },
  {
    name: 'tini',
    version: '0.19.0-3+b8',
    pool: 'pool/main/t/tini/tini_0.19.0-3+b8_amd64.deb',
    sha256: 'a443b12107331f67836a64cb6efe1dd92d2765e15568eb4567dccb409a8cd2a0',
  },
];

/** Debuggers' libraries, character sets, logs and pages stay out. */
const LIBRARIES = 'ld-linux-x86-64|lib(?:c|m|dl|pthread|rt|resolv|nss_dns|nss_files|gcc_s|stdc\\+\\+)';
const KEPT = [
  new RegExp(`^usr/lib/x86_64-linux-gnu/(?:${LIBRARIES})\\.so\\.[\\d.]+$`),
  /^usr\/lib64\/ld-linux-x86-64\.so\.2$/,
  /^usr\/bin\/tini$/,
  /^usr\/share\/doc\/[^/]+(?:\/copyright)?$/,
];

export function debianFiles(deb: Buffer): TarEntry[] {
  const data = arMember(deb, 'data.tar.xz');
  const archive = execFileSync('xz', ['--decompress', '--stdout'], { input: data, maxBuffer: 1 << 28 });
  return readTar(archive).filter(({ path }) => KEPT.some((kept) => kept.test(path)));
}

const AR_MAGIC = '!<arch>\n';
const AR_HEADER_BYTES = 60;

function arMember(archive: Buffer, wanted: string): Buffer {
  if (archive.toString('latin1', 0, AR_MAGIC.length) !== AR_MAGIC) throw new Error('not a Debian package');
  for (let at = AR_MAGIC.length; at < archive.length; ) {
    const name = archive.toString('latin1', at, at + 16).trim();
    const size = Number(archive.toString('latin1', at + 48, at + 58).trim());
    const start = at + AR_HEADER_BYTES;
    if (name.replace(/\/$/, '') === wanted) return archive.subarray(start, start + size);
    at = start + size + (size % 2);
  }
  throw new Error(`the Debian package has no ${wanted}`);
}
