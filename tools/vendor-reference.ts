// Fetches the renderer of the API's reference again: the version and the hash of assets/reference/source.json, packed without
// a time so that the same file gives the same bytes. For another version change `version` and `integrity` there first.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const folder = new URL('../services/api/assets/reference/', import.meta.url);
const source = JSON.parse(readFileSync(new URL('source.json', folder), 'utf8')) as {
  readonly package: string;
  readonly version: string;
  readonly integrity: string;
  readonly file: string;
};

const place = mkdtempSync(path.join(tmpdir(), 'svc-vendor-'));
try {
  const wanted = `${source.package}@${source.version}`;
  const packed = execFileSync('npm', ['pack', '--silent', wanted], { cwd: place, encoding: 'utf8' }).trim();
  const bytes = readFileSync(path.join(place, packed));
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (integrity !== source.integrity) throw new Error(`${wanted} has the integrity ${integrity}`);
  execFileSync('tar', ['-xzf', packed, `package/${source.file}`], { cwd: place });
  const script = readFileSync(path.join(place, 'package', source.file));
  const sha256 = createHash('sha256').update(script).digest('hex');
  writeFileSync(new URL('scalar.js.gz', folder), gzipSync(script, { level: 9 }));
  writeFileSync(new URL('source.json', folder), `${JSON.stringify({ ...source, sha256 }, null, 2)}\n`);
  console.log(`${wanted}: ${script.length} bytes`);
} finally {
  rmSync(place, { recursive: true });
}
