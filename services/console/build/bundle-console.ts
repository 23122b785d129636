// Run by build-console.ts with the folder of the page and the folder for the result.
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

/** Browsers that know `light-dark()` and passkeys. */
const TARGETS = ['chrome123', 'firefox120', 'safari17.5'];

const [root = '', outDir = ''] = process.argv.slice(2);

await build({
  root,
  configFile: false,
  envDir: false,
  logLevel: 'warn',
  plugins: [react(), tailwind()],
  build: {
    outDir,
    emptyOutDir: true,
    target: TARGETS,
    cssTarget: TARGETS,
    // A data address for a small image would be one more source that the page's policy has to allow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
  },
});
