// The three layers of the image, those first that change least: Node with its libraries, packages of others, our sources.
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DEBIAN_PACKAGES, debianFiles } from './debian.ts';
import type { Inputs, NpmTarball } from './inputs.ts';
import type { InstalledPackage } from './installed-packages.ts';
import { readTar, type TarEntry, writeTar } from './tar.ts';
import type { SourceFiles, Trace } from './trace-sources.ts';

type Opened = Extract<Inputs, { ok: true }>;

/** The user of every process. */
export const USER_ID = 65_532;

/** Programs on the image's PATH, and the file that each runs. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  svc: 'cli/src/main.ts',
  'svc-admin': 'services/admin/src/main.ts',
  'svc-api': 'services/api/src/main.ts',
  'svc-console': 'services/console/src/main.ts',
  'svc-settlement': 'services/settlement/src/main.ts',
  'svc-webhooks': 'services/webhooks/src/main.ts',
};

/** What programs read beside their modules. */
const READ_AT_RUN_TIME =
  /^(?:LICENSE|deploy\/prometheus\/alerts\.yaml|packages\/postgres\/(?:migrations\/[^/]+|src\/migration\/prepare\.sql)|services\/(?:api|console)\/assets\/.+)$/;

const file = (name: string, data: string | Buffer, executable = false): TarEntry => ({
  path: name,
  kind: 'file',
  data: Buffer.from(data),
  executable,
});
const link = (name: string, target: string): TarEntry => ({ path: name, kind: 'link', target });

export function baseLayer(inputs: Opened, node: NpmTarball): Buffer {
  const packed = readTar(gunzipSync(inputs.npm(node)));
  const nodeFile = (name: string, to: string, executable: boolean): TarEntry => {
    const found = packed.find((entry) => entry.path === name);
    if (found?.kind !== 'file') throw new Error(`Node's package has no ${name}`);
    return { ...found, path: to, executable };
  };
  return writeTar(
    [
      nodeFile('package/bin/node', 'usr/bin/node', true),
      nodeFile('package/LICENSE', 'usr/share/doc/node/LICENSE', false),
      ...DEBIAN_PACKAGES.flatMap((deb) => debianFiles(inputs.debian(deb))),
      // The loader's path is compiled into every program.
      link('lib', 'usr/lib'),
      link('lib64', 'usr/lib64'),
      file('etc/passwd', `root:x:0:0::/:/none\nsvc:x:${USER_ID}:${USER_ID}::/:/none\n`),
      file('etc/group', `root:x:0:\nsvc:x:${USER_ID}:\n`),
      file('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    ],
    ['tmp'],
  );
}

export function packagesLayer(inputs: Opened, packages: readonly InstalledPackage[]): Buffer {
  return writeTar(packages.flatMap((one) => filesOf(one, inputs.npm(one))));
}

/** Types, source maps, pages and other people's tests, and builds for other platforms, do nothing at run time. */
const UNUSED_FILE =
  /\.(?:[cm]?tsx?|map|flow|md|markdown|tsbuildinfo)$|\.(?:test|spec)\.[cm]?js$|(?:^|\/)(?:\.[^/]+|Makefile|binding\.gyp)$/;
const UNUSED_FOLDER = /^(?:\.[^/]+|__tests__|benchmarks?|coverage|docs?|examples?|integration|tests?)\//;
const OTHER_PLATFORM = /^prebuilds\/(?!linux-x64\/)/;
const LICENCE = /(?:^|\/)(?:licen[cs]e|copying|notice)[^/]*$/i;

function filesOf({ location }: InstalledPackage, tarball: Buffer): TarEntry[] {
  return readTar(gunzipSync(tarball)).flatMap((entry) => {
    // The first folder is `package` for most tarballs, and anything for some.
    const inside = entry.path.slice(entry.path.indexOf('/') + 1);
    if (entry.kind !== 'file' || OTHER_PLATFORM.test(inside) || UNUSED_FOLDER.test(inside)) return [];
    if (UNUSED_FILE.test(inside) && !LICENCE.test(inside)) return [];
    return [{ ...entry, path: path.posix.join('app', location, inside), executable: false }];
  });
}

export function sourcesLayer(sources: SourceFiles, { files }: Trace): Buffer {
  const kept = [...sources].filter(([name]) => files.has(name) || READ_AT_RUN_TIME.test(name));
  const workspaces = kept.filter(([name]) => path.posix.basename(name) === 'package.json');
  return writeTar([
    ...kept.map(([name, data]) => file(`app/${name}`, data)),
    ...workspaces.map(([name, data]) => {
      const { name: packageName } = JSON.parse(data.toString('utf8')) as { name: string };
      const from = path.posix.join('app/node_modules', packageName);
      return link(
        from,
        path.posix.relative(path.posix.dirname(from), path.posix.join('app', path.posix.dirname(name))),
      );
    }),
    // There is no shell to start them: the kernel reads the first line.
    ...Object.entries(PROGRAMS).map(([name, main]) =>
      file(`usr/bin/${name}`, `#!/usr/bin/node\nimport '../../app/${main}';\n`, true),
    ),
  ]);
}
