import { globSync, readFileSync } from 'node:fs';
import { LOG_EVENTS } from '@svc-pay/runtime/logging/log-events';
import { expect, test } from 'vitest';
import { logEventsPage } from './log-events-page.ts';

const CODES = Object.keys(LOG_EVENTS);

/** Code that ships and logs, without the catalogue itself. */
const SOURCES = globSync('{packages,services}/**/src/**/*.ts', { exclude: ['**/node_modules/**'] })
  .filter((path) => !/\.test\.ts$|\/testing\/|\/log-events(?:\/|\.ts$)/.test(path))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

test('the page of log events shows the catalogue as it is', () => {
  expect(readFileSync('docs/reference/log-events.md', 'utf8')).toBe(logEventsPage());
});

test('every code of the catalogue is written by some service', () => {
  // A port of core or of the engine names its codes as a type (`| 'batch_mined'`): that alone writes no line.
  const isWritten = (code: string) => SOURCES.some(({ text }) => new RegExp(`(?<!\\| )'${code}'`).test(text));
  expect(CODES.filter((code) => !isWritten(code))).toEqual([]);
});

const DIRECT = /\b(?:log|logger)\??\.(?:trace|debug|info|warn|error|fatal)\(|\b(?:log|logger)\[\w+\]\(/;

/** That a code is in the catalogue the compiler holds, for whatever goes through `logEvent`. */
test('no service writes a line around the catalogue', () => {
  for (const line of ["logger.warn({ err }, 'oh')", "request.log.info('x')", 'logger[level](line)']) {
    expect(line).toMatch(DIRECT);
  }
  expect(SOURCES.filter(({ text }) => DIRECT.test(text)).map(({ path }) => path)).toEqual([]);
});

test('messages are sentences, and codes are words in snake case', () => {
  expect(CODES.filter((code) => !/^[a-z]+(?:_[a-z]+)+$/.test(code))).toEqual([]);
  const odd = Object.entries(LOG_EVENTS).filter(
    ([, { message, whatToDo }]) =>
      !/^[A-Z].*\.$/.test(message) || !whatToDo.endsWith('.') || /\|/.test(message + whatToDo),
  );
  expect(odd.map(([code]) => code)).toEqual([]);
});

test('pages and alert rules name no code that is not in the catalogue', () => {
  const pages = globSync(['docs/**/*.md', 'deploy/**/*.yaml']);
  const unknown = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/log-events\.md#(\w+)/g)].flatMap(([, code = '']) =>
      CODES.includes(code) ? [] : [`${page}: ${code}`],
    ),
  );
  expect(unknown).toEqual([]);
  expect(readFileSync('docs/operate/stranded-money.md', 'utf8')).toContain('log-events.md#stranded_transfer_found');
});
