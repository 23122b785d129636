import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(file, 'utf8');
const headingsOf = (file: string) => read(file).match(/^## .*$/gm);

test('the list before real money has the steps of the first deployment, in the same order', () => {
  const steps = headingsOf('docs/operate/first-deployment.md');
  expect(steps?.length).toBeGreaterThan(5);
  expect(headingsOf('docs/operate/going-live.md')).toEqual(steps);
});
