// Reads a QR code off a page, as a camera would: from the pixels that Chromium paints.
import type { Page } from 'playwright-core';
import { decodeQR } from 'qr/decode.js';

export async function decodeCode(page: Page, selector: string): Promise<string> {
  const image = await page.evaluate(async (wanted) => {
    const svg = document.querySelector(wanted);
    if (svg === null) throw new Error('no code');
    const picture = new Image();
    picture.src = `data:image/svg+xml,${encodeURIComponent(svg.outerHTML)}`;
    await picture.decode();
    const size = 400;
    const canvas = document.createElement('canvas');
    canvas.width = size;
    canvas.height = size;
    const brush = canvas.getContext('2d');
    if (brush === null) throw new Error('no canvas');
    brush.fillStyle = 'white';
    brush.fillRect(0, 0, size, size);
    brush.drawImage(picture, 0, 0, size, size);
    const { data } = brush.getImageData(0, 0, size, size);
    return { size, red: [...data].filter((_, index) => index % 4 === 0) };
  }, selector);
  const pixels = Uint8Array.from(image.red.flatMap((red) => [red, red, red, 255]));
  return decodeQR({ width: image.size, height: image.size, data: pixels });
}
