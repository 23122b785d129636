// One image as a tar of the OCI image layout: what `podman load`, `skopeo copy oci-archive:` and registries take.
import { createHash } from 'node:crypto';
import { constants, zstdCompressSync } from 'node:zlib';
import { type TarEntry, writeTar } from './tar.ts';

export type ImageConfig = {
  readonly created: string;
  readonly reference: string;
  readonly user: string;
  readonly environment: readonly string[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
};

export type Layer = { readonly about: string; readonly tar: Buffer };

export type OciImage = {
  /** Of the manifest: what registries call the image's digest. */
  readonly digest: string;
  readonly layers: readonly { readonly about: string; readonly bytes: number; readonly compressedBytes: number }[];
  readonly archive: Buffer;
};

/** Level 12 saves 5 MB of 53 and takes ten times as long. */
const ZSTD_LEVEL = 3;
const OCI = 'application/vnd.oci.image';

export function writeOciImage(layers: readonly Layer[], config: ImageConfig): OciImage {
  const blobs = new Map<string, Buffer>();
  const store = (mediaType: string, data: Buffer) => {
    const digest = `sha256:${sha256(data)}`;
    blobs.set(`blobs/sha256/${sha256(data)}`, data);
    return { mediaType, digest, size: data.length };
  };
  const packed = layers.map(({ about, tar }) => ({
    about,
    bytes: tar.length,
    diffId: `sha256:${sha256(tar)}`,
    blob: store(
      `${OCI}.layer.v1.tar+zstd`,
      zstdCompressSync(tar, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } }),
    ),
  }));
  const { created } = config;
  const configBlob = store(
    `${OCI}.config.v1+json`,
    json({
      architecture: 'amd64',
      os: 'linux',
      created,
      config: {
        User: config.user,
        Env: config.environment,
        Entrypoint: config.entrypoint,
        Cmd: config.command,
        WorkingDir: '/',
        StopSignal: 'SIGTERM',
        Labels: config.labels,
      },
      rootfs: { type: 'layers', diff_ids: packed.map(({ diffId }) => diffId) },
      history: packed.map(({ about }) => ({ created, created_by: about })),
    }),
  );
  const manifest = store(
    `${OCI}.manifest.v1+json`,
    json({
      schemaVersion: 2,
      mediaType: `${OCI}.manifest.v1+json`,
      config: configBlob,
      layers: packed.map(({ blob }) => blob),
      annotations: config.labels,
    }),
  );
  const index = {
    schemaVersion: 2,
    mediaType: `${OCI}.index.v1+json`,
    manifests: [
      {
        ...manifest,
        platform: { architecture: 'amd64', os: 'linux' },
        annotations: { 'org.opencontainers.image.ref.name': config.reference },
      },
    ],
  };
  blobs.set('index.json', json(index));
  blobs.set('oci-layout', json({ imageLayoutVersion: '1.0.0' }));
  return {
    digest: manifest.digest,
    layers: packed.map(({ about, bytes, blob }) => ({ about, bytes, compressedBytes: blob.size })),
    archive: writeTar([...blobs].map(([path, data]): TarEntry => ({ path, kind: 'file', data, executable: false }))),
  };
}

const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');
const json = (value: object) => Buffer.from(`${JSON.stringify(value)}\n`);
