// What the page on upgrades tells an operator to type, with the names of the two images.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readPage } from './page-blocks.ts';

const PAGE = path.resolve(import.meta.dirname, '../../docs/operate/upgrade.md');

/** The block of the section on the image, as it stands. */
export function upgradeBlock(from: string, to: string): string {
  const { variables, blocks } = readPage(readFileSync(PAGE, 'utf8'));
  const [block] = blocks;
  if (variables.join() !== 'OLD,NEW' || block === undefined)
    throw new Error('the page does not begin with OLD and NEW');
  return `OLD='${from}'\nNEW='${to}'\n${block.script}\n`;
}
