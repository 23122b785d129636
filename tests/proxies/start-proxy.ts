// Runs nginx, HAProxy and Caddy with the files of `deploy`. Only addresses are replaced, and TLS by a plain listener.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { type Unpacked, unpackDebian } from '../../tools/debian/debian-package.ts';
import { CADDY, HAPROXY, HAPROXY_LIBRARIES, NGINX } from '../../tools/debian/packages.ts';

export const PROXY_KINDS = ['nginx', 'haproxy', 'caddy'] as const;
export type ProxyKind = (typeof PROXY_KINDS)[number];

const unpacked = {
  nginx: unpackDebian(NGINX),
  haproxy: unpackDebian(HAPROXY),
  caddy: unpackDebian(CADDY),
  libraries: HAPROXY_LIBRARIES.map(unpackDebian),
};

/** Why the proxies can't be had, or nothing. */
export const missing: string = [unpacked.nginx, unpacked.haproxy, unpacked.caddy, ...unpacked.libraries]
  .flatMap((each) => (each.ok ? [] : [each.why]))
  .join('; ');

const folderOf = (each: Unpacked) => (each.ok ? each.folder : '');

/** `outer`: connects to another proxy. `inner`: another proxy connects to it. `console`: in front of the console, not of the API. */
export type ProxyPlace = 'alone' | 'outer' | 'inner' | 'console';
type Places = { readonly port: number; readonly upstream: string; readonly folder: string; readonly place: ProxyPlace };
type Launch = { readonly program: string; readonly argv: readonly string[]; readonly libraries?: string };

/** Answers its port. */
export async function startProxy(kind: ProxyKind, upstreamPort: number, place: ProxyPlace): Promise<number> {
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), `svc-${kind}-`));
  const launch = launches[kind]({ port, upstream: `127.0.0.1:${upstreamPort}`, folder, place });
  const child = spawn(launch.program, launch.argv, {
    env: { HOME: folder, LD_LIBRARY_PATH: launch.libraries ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  afterAll(async () => {
    await stop(child);
    rmSync(folder, { recursive: true, force: true });
  });
  for (let tries = 0; tries < 100; tries += 1) {
    if (await listens(port)) return port;
    if (child.exitCode !== null) break;
    await sleep(50);
  }
  throw new Error(`${kind} does not listen: ${output}`);
}

const launches: Readonly<Record<ProxyKind, (places: Places) => Launch>> = {
  nginx: ({ port, upstream, folder, place }) => {
    const [source, server] = place === 'console' ? ['svc-pay-console', 8406] : ['svc-pay', 8402];
    const site = replaced(`deploy/nginx/${source}.conf`, [
      [/listen 443 ssl;/, `listen 127.0.0.1:${port};`],
      [/ *ssl_.*\n/g, ''],
      [new RegExp(`server 127\\.0\\.0\\.1:${server};`), `server ${upstream};`],
    ]);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${folder}/t;`);
    const lines = ['daemon off; master_process off;', `pid ${folder}/pid; error_log stderr;`, 'events {}'];
    const file = path.join(folder, 'nginx.conf');
    writeFileSync(file, [...lines, 'http {', 'access_log off;', ...paths, site, '}'].join('\n'));
    const program = path.join(folderOf(unpacked.nginx), 'usr/sbin/nginx');
    return { program, argv: ['-p', folder, '-e', 'stderr', '-c', file] };
  },
  haproxy: ({ port, upstream, folder, place }) => {
    const file = path.join(folder, 'haproxy.cfg');
    const text = replaced('deploy/haproxy/haproxy.cfg', [
      [/bind :443 .*/, `bind 127.0.0.1:${port}`],
      place === 'console'
        ? [/console-1 127\.0\.0\.1:8406/, `console-1 ${upstream}`]
        : [/api-1 127\.0\.0\.1:8402/, `api-1 ${upstream}`],
      ...(place === 'outer' ? [[/ *option httpchk .*\n/, ''] as const] : []),
    ]);
    writeFileSync(file, text);
    const libraries = unpacked.libraries.flatMap((each) => libraryFolders(folderOf(each))).join(':');
    return { program: path.join(folderOf(unpacked.haproxy), 'usr/sbin/haproxy'), argv: ['-f', file], libraries };
  },
  caddy: ({ port, upstream, folder, place }) => {
    const file = path.join(folder, 'Caddyfile');
    const consoleSite = () =>
      replaced('deploy/caddy/console.Caddyfile', [
        [/^console\.pay\.example \{/m, `http://127.0.0.1:${port} {`],
        [/reverse_proxy 127\.0\.0\.1:8406/, `reverse_proxy ${upstream}`],
      ]);
    const apiSite = () =>
      replaced('deploy/caddy/Caddyfile', [
        [/^\{\n/m, '{\n\tadmin off\n'],
        [/^pay\.example \{/m, `http://127.0.0.1:${port} {`],
        [/reverse_proxy 127\.0\.0\.1:8402/, `reverse_proxy ${upstream}`],
        ...(place === 'inner' ? [[/# trusted_proxies 192\.0\.2\.1\/32/, 'trusted_proxies 127.0.0.1/32'] as const] : []),
      ]);
    writeFileSync(file, place === 'console' ? `{\n\tadmin off\n}\n${consoleSite()}` : apiSite());
    const program = path.join(folderOf(unpacked.caddy), 'usr/bin/caddy');
    return { program, argv: ['run', '--config', file, '--adapter', 'caddyfile'] };
  },
};

/** Each replacement must find its text: otherwise the test would not run what is shipped. */
function replaced(file: string, changes: readonly (readonly [RegExp, string])[]): string {
  return changes.reduce(
    (text, [from, to]) => {
      const next = text.replace(from, to);
      if (next === text) throw new Error(`${file} has no ${from.source}`);
      return next;
    },
    readFileSync(file, 'utf8'),
  );
}

function libraryFolders(folder: string): readonly string[] {
  const root = path.join(folder, 'usr/lib');
  return readdirSync(root).map((each) => path.join(root, each));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    // Not yet: the caller asks again, and fails with the proxy's output in the end.
    return false;
  } finally {
    socket.destroy();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
