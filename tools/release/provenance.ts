// What the files of a release were made from: an in-toto statement with SLSA's provenance, and its signed envelope.
import { type KeyObject, sign } from 'node:crypto';
import type { BuiltImage } from './image/build-image.ts';
import { DEBIAN_PACKAGES } from './image/debian.ts';
import type { NpmTarball, PinnedNode } from './image/inputs.ts';

type Subject = { readonly file: string; readonly sha256: string };
type Origin = { readonly name: string; readonly version: string; readonly commit: string };

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

type Parts = { readonly image?: BuiltImage | undefined; readonly bundled: readonly NpmTarball[] };

/**
 * Holds no time and no machine: the same commit and the same sums of the files give the same statement. Its dependencies
 * are the packages whose code is in the image or in a package; the tools that build are pinned by the lock in the commit.
 */
export function provenanceStatement(
  subjects: readonly Subject[],
  origin: Origin,
  { image, bundled }: Parts = { bundled: [] },
): string {
  const all = [...(image === undefined ? [] : [image.node, ...image.packages]), ...bundled];
  const npm = [...new Map(all.map((one) => [`${one.name}@${one.version} ${one.sha512}`, one])).values()];
  const debian = image === undefined ? [] : DEBIAN_PACKAGES;
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      ...subjects.map(({ file, sha256 }) => ({ name: file, digest: { sha256 } })),
      ...(image === undefined
        ? []
        : [{ name: `${origin.name}:${origin.version}`, digest: { sha256: image.digest.replace('sha256:', '') } }]),
    ],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `urn:${origin.name}:npm-run-release:1`,
        externalParameters: { version: origin.version, commit: origin.commit },
        resolvedDependencies: [
          { name: origin.name, digest: { gitCommit: origin.commit } },
          ...npm.map(({ name, version, sha512 }) => ({ uri: purl(name, version), digest: { sha512 } })),
          ...(image === undefined ? [] : [nodeProgram(image.node)]),
          ...debian.map(({ name, version, sha256 }) => ({
            uri: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}`,
            digest: { sha256 },
          })),
        ],
      },
      // A person runs the command on a machine of theirs. Whoever makes the image again gets the same digest; archives that
      // git and npm compress have the same content, and the same bytes with the same versions of git and npm.
      runDetails: { builder: { id: `urn:${origin.name}:release-by-hand` } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}

const purl = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** The program inside Node's package: the one file that others publish under a signature of theirs. */
const nodeProgram = ({ name, version, programSha256 }: PinnedNode) => ({
  name: 'usr/bin/node',
  uri: `${purl(name, version)}#bin/node`,
  digest: { sha256: programSha256 },
});

/** DSSE, as cosign and in-toto read it. */
export function signedEnvelope(statement: string, key: KeyObject): string {
  const payload = Buffer.from(statement);
  const text = Buffer.concat([
    Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `),
    payload,
  ]);
  return `${JSON.stringify({
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ sig: sign(null, text, key).toString('base64') }],
  })}\n`;
}
