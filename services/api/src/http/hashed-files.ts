// Files that browsers load from the API. Their bytes are read once, at start. A name with the hash of its content is cached for
// a year; the plain name for minutes.
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const HASH_CHARACTERS = 16;
const FILE_NAME = /^([a-z-]+?)(?:\.([\w-]{16}))?\.(js|css|svg)$/;
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/;
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

type HashedFile = {
  readonly hash: string;
  readonly packed: Buffer;
  /** Unpacked once, for the rare client that takes no gzip. */
  readonly plain: () => Buffer;
};

type Content = { readonly plain: Buffer } | { readonly packed: Buffer };

export type HashedFiles<Name extends string> = {
  /** Name with the hash of the content. */
  readonly nameOf: (name: Name) => string;
  /** `path` ends with `/:file`. Not in the route table: these are files, and no operations of the API. */
  readonly serve: (
    app: FastifyInstance,
    path: string,
    notFound: (request: FastifyRequest, reply: FastifyReply) => unknown,
    headers?: Readonly<Record<string, string>>,
  ) => void;
};

export function createHashedFiles<Name extends string>(contents: Readonly<Record<Name, Content>>): HashedFiles<Name> {
  const files = new Map(Object.entries<Content>(contents).map(([name, content]) => [name, fileOf(content)]));
  return {
    nameOf: (name) => {
      const [stem, ending] = name.split('.');
      return `${stem}.${files.get(name)?.hash}.${ending}`;
    },
    serve: (app, path, notFound, headers = {}) => {
      app.get(path, (request, reply) => {
        const [, stem, hash, ending = ''] = FILE_NAME.exec((request.params as { readonly file: string }).file) ?? [];
        const file = files.get(`${stem}.${ending}`);
        if (file === undefined) return notFound(request, reply);
        const isPacked = TAKES_GZIP.test(request.headers['accept-encoding'] ?? '');
        return reply
          .headers({
            ...headers,
            'content-type': TYPES[ending],
            'cache-control': cachingOf(file, hash),
            vary: 'Accept-Encoding',
            ...(isPacked && { 'content-encoding': 'gzip' }),
          })
          .send(isPacked ? file.packed : file.plain());
      });
    },
  };
}

function fileOf(content: Content): HashedFile {
  const packed = 'packed' in content ? content.packed : gzipSync(content.plain);
  const hash = createHash('sha256').update(packed).digest('base64url').slice(0, HASH_CHARACTERS);
  let plain = 'plain' in content ? content.plain : undefined;
  return { hash, packed, plain: () => (plain ??= gunzipSync(packed)) };
}

/** During an upgrade a page of one release may ask a process of another: it gets what there is, and keeps it no longer. */
function cachingOf(file: HashedFile, hash: string | undefined): string {
  if (hash === undefined) return 'public, max-age=300';
  return hash === file.hash ? 'public, max-age=31536000, immutable' : 'no-store';
}
