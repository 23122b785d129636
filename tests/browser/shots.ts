// npm run shots     pictures of every stage, light and dark, at desk and phone width, into .cache/shots; those that the
//                   documentation shows also into docs/integrate/images
// npm run shots -- paid failed     only these
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { play, SCENES } from './scenes.ts';
import { startBrowser } from './start-browser.ts';

/** In the documentation, and in which look. */
const SHOWN: Readonly<Record<string, 'light' | 'dark'>> = {
  'ready-desk': 'light',
  'choose-wallet-desk': 'light',
  'choose-token-phone': 'light',
  'sign-desk': 'light',
  'approve-desk': 'light',
  'pay-desk': 'light',
  'confirming-desk': 'light',
  'settling-desk': 'light',
  'paid-desk': 'light',
  'authorized-desk': 'light',
  'failed-desk': 'light',
  'unknown-desk': 'light',
  'choose-wallet-phone': 'dark',
};

const wanted = process.argv.slice(2);
const out = path.resolve('.cache/shots');
const pictures = path.resolve('docs/integrate/images');
mkdirSync(out, { recursive: true });
mkdirSync(pictures, { recursive: true });
const browser = await startBrowser("import '@svc-pay/pay-button';");
try {
  for (const scene of SCENES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    for (const [place, width] of [
      ['desk', 1280],
      ['phone', 360],
    ] as const) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const shop = await browser.open({
          ...scene.options(),
          width,
          scale: 2,
          colorScheme,
          height: place === 'phone' ? 640 : 720,
        });
        await play(shop, scene);
        await shop.page.mouse.move(1, 1);
        await shop.page.waitForTimeout(250);
        const name = `${scene.name}-${place}`;
        const clip =
          place === 'phone' ? { x: 0, y: 0, width: 360, height: 640 } : { x: 0, y: 0, width: 560, height: 300 };
        const isSheet = place === 'desk' && scene.name.startsWith('choose-');
        const framed = isSheet ? { x: 360, y: 160, width: 560, height: 400 } : clip;
        await shop.page.screenshot({ path: path.join(out, `${name}-${colorScheme}.png`), clip: framed });
        if (SHOWN[name] === colorScheme) {
          await shop.page.screenshot({ path: path.join(pictures, `button-${name}.png`), clip: framed });
        }
        await shop.close();
      }
    }
    console.log(scene.name);
  }
} finally {
  await browser.stop();
}
