// CycloneDX bill of materials of the image: Node, the Debian packages and the npm packages that are in it, with hashes.
import { uuidOf } from './bill-of-materials.ts';
import type { BuiltImage, ImageOrder } from './image/build-image.ts';
import { DEBIAN_PACKAGES } from './image/debian.ts';

export function imageBillOfMaterials(image: BuiltImage, { name, version, committedAt }: ImageOrder): string {
  const library = (of: string, at: string, purl: string, alg: 'SHA-256' | 'SHA-512', content: string) => ({
    type: 'library',
    'bom-ref': purl,
    name: of,
    version: at,
    purl,
    hashes: [{ alg, content }],
  });
  const npmUrl = (of: string, at: string) => `pkg:npm/${of.replace('@', '%40')}@${at}`;
  const npm = new Map(image.packages.map((one) => [npmUrl(one.name, one.version), one]));
  const { node } = image;
  const nodeUrl = npmUrl(node.name, node.version);
  const program = { type: 'file', 'bom-ref': `${nodeUrl}#bin/node`, name: 'usr/bin/node' };
  const components = [
    {
      ...library('node', node.version, nodeUrl, 'SHA-512', node.sha512),
      components: [{ ...program, hashes: [{ alg: 'SHA-256', content: node.programSha256 }] }],
    },
    ...DEBIAN_PACKAGES.map((deb) => {
      const purl = `pkg:deb/debian/${encodeURIComponent(deb.name)}@${encodeURIComponent(deb.version)}`;
      return library(deb.name, deb.version, `${purl}?arch=amd64&distro=debian-13`, 'SHA-256', deb.sha256);
    }),
    ...[...npm].map(([purl, one]) => library(one.name, one.version, purl, 'SHA-512', one.sha512)),
  ];
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: '',
    version: 1,
    metadata: {
      timestamp: committedAt,
      component: {
        type: 'container',
        'bom-ref': `${name}@${version}`,
        name,
        version,
        hashes: [{ alg: 'SHA-256', content: image.digest.replace('sha256:', '') }],
      },
    },
    components,
  };
  bom.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bom))}`;
  return `${JSON.stringify(bom, null, 2)}\n`;
}
