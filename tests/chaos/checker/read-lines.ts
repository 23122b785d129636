import { readFileSync } from 'node:fs';

/** Of a file with one JSON object a line. A last line that was cut off by a kill is no evidence of anything. */
export function linesOf<Line>(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line) as Line] : []));
}
