// The pay button, script and style of the checkout page, and the icon that wallets show. Pages of merchants load the button by its plain name, from any origin.
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createHashedFiles } from '../http/hashed-files.ts';

const bytesOf = (file: string) => readFileSync(new URL(`../../assets/${file}`, import.meta.url));
const read = (file: string) => ({ plain: bytesOf(file) });
/** Rules of `screens.css` override those before them. */
const STYLES = ['base', 'summary', 'card', 'screens'].map((name) => bytesOf(`checkout/${name}.css`));
const ASSETS = createHashedFiles({
  'svc-pay-button.js': read('generated/svc-pay-button.js'),
  'checkout.js': read('generated/checkout.js'),
  'wallet-icon.svg': read('checkout/wallet-icon.svg'),
  'checkout.css': { plain: Buffer.concat(STYLES) },
});

type AssetName = Parameters<typeof ASSETS.nameOf>[0];

/** Path of a file below the base address of the API, without a slash at its begin. */
export const assetPath = (name: AssetName): string => `assets/${ASSETS.nameOf(name)}`;

export function serveAssets(
  app: FastifyInstance,
  notFound: (request: FastifyRequest, reply: FastifyReply) => unknown,
): void {
  ASSETS.serve(app, '/assets/:file', notFound, {
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
}
