// A root of Debian 13 with podman and docker-compose, for machines that have neither. Made once by debootstrap, which
// checks Debian's signatures, from the mirror of the machine's own apt configuration.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { unpackDebian } from '../debian/debian-package.ts';
import { DEBOOTSTRAP } from '../debian/packages.ts';
import { debianMirror } from '../release/image/config.ts';
import { containersCache } from './config.ts';

export type DebianRoot = { readonly ok: true; readonly folder: string } | { readonly ok: false; readonly why: string };

const SUITE = 'trixie';
const PODMAN_TOOLS = 'podman podman-docker crun conmon catatonit netavark aardvark-dns docker-compose';
const NETWORK_TOOLS = 'iproute2 nftables iptables ca-certificates openssl';
/** What images of others are made of here: third-party-images.ts. */
const SERVERS = 'caddy prometheus prometheus-alertmanager postgresql-client';
const WITH_PODMAN = `${PODMAN_TOOLS} ${NETWORK_TOOLS} ${SERVERS}`.split(' ');

/** For containers without cgroups, and for images that nobody pulls. */
const CONFIGURATION: Readonly<Record<string, string>> = {
  'etc/containers/containers.conf': `[containers]
cgroups = "disabled"
default_ulimits = []
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "crun"
compose_warning_logs = false
`,
  'etc/containers/storage.conf': `[storage]
driver = "overlay"
runroot = "/run/containers/storage"
graphroot = "/var/lib/containers/storage"
`,
  'etc/containers/registries.conf': 'unqualified-search-registries = ["docker.io"]\nshort-name-mode = "disabled"\n',
  'etc/containers/policy.json': '{ "default": [{ "type": "insecureAcceptAnything" }] }\n',
  'etc/containers/nodocker': '',
  // Names of containers are answered by podman; for others there is nobody to ask.
  'etc/resolv.conf': '',
};

type RootOrder = {
  /** Beside those that every Debian has. */
  readonly packages: readonly string[];
  /** Texts of files, by path below the root. */
  readonly configuration: Readonly<Record<string, string>>;
};

const PODMAN: RootOrder = { packages: WITH_PODMAN, configuration: CONFIGURATION };

/** The folder of the root, made at the first call: two minutes and 750 MB. `why` is what a skipped test prints. */
export function debianRoot({ packages, configuration }: RootOrder = PODMAN): DebianRoot {
  const key = createHash('sha256')
    .update(JSON.stringify([SUITE, packages, configuration]))
    .digest('hex');
  const cache = containersCache();
  const folder = path.join(cache, `${SUITE}-${key.slice(0, 12)}`);
  if (existsSync(folder)) return { ok: true, folder };
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { ok: false, why: 'a Debian root is made and entered by root on Linux' };
  const mirror = debianMirror();
  if (mirror === undefined) return { ok: false, why: 'apt of this machine names no mirror of Debian' };
  const debootstrap = unpackDebian(DEBOOTSTRAP);
  if (!debootstrap.ok) return debootstrap;
  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(path.join(cache, '.staging-'));
  // It becomes `/` of programs that are not root.
  chmodSync(staging, 0o755);
  try {
    const argv = ['--variant=minbase', ...include(packages), SUITE, staging, mirror];
    const ran = spawnSync(path.join(debootstrap.folder, 'usr/sbin/debootstrap'), argv, {
      env: {
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        DEBOOTSTRAP_DIR: path.join(debootstrap.folder, 'usr/share/debootstrap'),
      },
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    if (ran.status !== 0) return { ok: false, why: `debootstrap of ${SUITE}: ${lastLine(ran.stdout + ran.stderr)}` };
    rmSync(path.join(staging, 'var/cache/apt/archives'), { recursive: true, force: true });
    for (const [file, text] of Object.entries(configuration)) {
      rmSync(path.join(staging, file), { force: true });
      mkdirSync(path.dirname(path.join(staging, file)), { recursive: true });
      writeFileSync(path.join(staging, file), text);
    }
    moveOnce(staging, folder);
    return { ok: true, folder };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

const include = (packages: readonly string[]) => (packages.length === 0 ? [] : [`--include=${packages.join(',')}`]);
const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? '';

/** Two callers may race here: the loser finds the winner's folder and keeps it. */
function moveOnce(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}
