// What the empty Debian root of the test has that a server of a reader has not, and why. Everything else is Debian's, or comes
// from the page.

export type Surroundings = {
  /** Address of the machine, on the cable to this one. */
  readonly address: string;
  /** Proxy for apt. */
  readonly proxyUrl: string;
  readonly domain: string;
};

type Difference = {
  readonly file: string;
  readonly why: string;
  readonly mode?: number;
  readonly text: (surroundings: Surroundings) => string;
};

/** The page gives this folder to the containers of the command, so a certificate in it is seen by them. */
export const TRUSTED_CA = '/var/lib/svc-testnet/caddy-ca.crt';

export const DIFFERENCES: readonly Difference[] = [
  {
    file: 'etc/apt/apt.conf.d/90test-proxy',
    why: 'the root has a cable to this machine and no other way out',
    text: ({ proxyUrl }) => `Acquire::http::Proxy "${proxyUrl}";\nAcquire::https::Proxy "${proxyUrl}";\n`,
  },
  {
    file: 'etc/hosts',
    why: 'no DNS: the name of the server is known here alone',
    text: ({ address, domain }) => `127.0.0.1 localhost\n${address} ${domain}\n`,
  },
  {
    file: 'etc/resolv.conf',
    why: 'no DNS: a question would wait for an answer that never comes',
    text: () => '',
  },
  {
    file: 'etc/containers/storage.conf',
    why: 'images of others cannot be pulled here; a store with the same names stands in for the registry',
    text: () => `[storage]
driver = "overlay"
runroot = "/run/containers/storage"
graphroot = "/var/lib/containers/storage"
[storage.options]
additionalimagestores = ["/images"]
`,
  },
  {
    file: 'etc/containers/containers.conf.d/90-test.conf',
    why: 'containers run without cgroups, which this machine does not give; Caddy signs for a name like this by an authority of its own, which the command must trust',
    text: () => `[containers]
cgroups = "disabled"
default_ulimits = []
env = ["NODE_EXTRA_CA_CERTS=${TRUSTED_CA}", { append = true }]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
`,
  },
  {
    file: 'usr/local/bin/systemctl',
    why: 'systemd is not the first process: this starts what podman.socket starts, and leaves the rest to systemctl',
    mode: 0o755,
    text: () => `#!/bin/sh
[ "$*" = 'enable --now podman.socket' ] || exec /usr/bin/systemctl "$@"
mkdir -p /run/podman
setsid podman system service --time=0 unix:///run/podman/podman.sock >/var/log/podman.log 2>&1 &
until [ -S /run/podman/podman.sock ]; do sleep 0.1; done
`,
  },
];
