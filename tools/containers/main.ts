// node tools/containers/main.ts [--share <folder>]... -- <command>   runs a command on a machine of its own with podman
// node tools/containers/main.ts -- podman run --rm postgres:18 --version
// `docker` is podman there. The folder that this runs in is shared, and the command begins in it.
import { parseArgs } from 'node:util';
import { debianRoot } from './debian-root.ts';
import { startPodman } from './podman-host.ts';
import { thirdPartyImages } from './third-party-images.ts';

const { values, positionals } = parseArgs({
  options: { share: { type: 'string', multiple: true, default: [] } },
  allowPositionals: true,
});
const root = debianRoot();
if (!root.ok) {
  console.error(`no podman: ${root.why}`);
  process.exit(69);
}
const host = await startPodman(root.folder, {
  shared: [process.cwd(), ...values.share],
  imageStore: await thirdPartyImages(root.folder),
});
try {
  const ran = await host.run(positionals, { cwd: process.cwd() });
  process.stdout.write(ran.stdout);
  process.stderr.write(ran.stderr);
  process.exitCode = ran.exitCode;
} finally {
  await host.stop();
}
