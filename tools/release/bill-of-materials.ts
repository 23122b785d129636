// CycloneDX bill of materials of a production install, made by npm from the lock and then freed of this machine:
// npm names what is ours after the folder it stands in, and draws a random serial number and the current time.
import { createHash } from 'node:crypto';
import { NPM_FLAGS, runTool } from './run-tool.ts';

type Component = { name: string; purl: string; externalReferences?: { type: string; url: string }[] };
type Bom = {
  serialNumber: string;
  metadata: { timestamp: string; component: Component };
  components: Component[];
};
type Result =
  | { readonly ok: true; readonly json: string; readonly count: number }
  | { readonly ok: false; readonly problem: string };

/** The same commit gives the same bytes with the same npm, wherever it is checked out. */
export function billOfMaterials(root: string, committedAt: string): Result {
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const ran = runTool(root, 'npm', ['sbom', ...format, '--omit', 'dev', '--package-lock-only', ...NPM_FLAGS]);
  if (!ran.ok) return ran;
  const bom: Bom = JSON.parse(ran.output);
  bom.metadata.timestamp = committedAt;
  for (const component of [bom.metadata.component, ...bom.components]) {
    component.name = nameOf(component.purl);
    // Where this machine downloads from is no fact about the product.
    const kept = component.externalReferences?.filter(({ type }) => type !== 'distribution');
    if (kept !== undefined) component.externalReferences = kept;
  }
  bom.serialNumber = '';
  bom.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bom))}`;
  const json = `${JSON.stringify(bom, null, 2)}\n`;
  if (json.includes(root)) return { ok: false, problem: 'the bill of materials names a folder of this machine' };
  return { ok: true, json, count: bom.components.length };
}

/** `pkg:npm/%40shop/till@2.1.0` is `@shop/till`. */
function nameOf(purl: string): string {
  return decodeURIComponent(purl.slice('pkg:npm/'.length, purl.lastIndexOf('@')));
}

/** RFC 9562 version 8: a hash of ours in the shape of a UUID. */
export function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
