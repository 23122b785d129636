import { encodeQR } from 'qr';
import { raw, type SafeHtml } from '../http/html.ts';

/** Modules of quiet zone that scanners ask for. */
const BORDER = 4;

/**
 * SVG of a QR code: one rectangle for each run of dark modules in a row. It has the text as modules only, so nothing in the
 * text can be markup.
 */
export function qrCode(text: string): SafeHtml {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', encoding: 'byte', border: BORDER });
  const path = rows.flatMap((row, y) =>
    [
      ...row
        .map((isDark) => (isDark ? '1' : '0'))
        .join('')
        .matchAll(/1+/g),
    ].map(({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`),
  );
  const size = rows.length;
  return raw(
    `<svg viewBox="0 0 ${size} ${size}" xmlns="http://www.w3.org/2000/svg" shape-rendering="crispEdges"><path d="${path.join('')}"/></svg>`,
  );
}
