import { expect, test } from 'vitest';
import { refusesRange } from './refuses-range.ts';

test.each([
  [-32_602, 'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range'],
  [-32_600, 'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.'],
  [-32_005, 'query returned more than 10000 results. Try with this block range [0x1, 0x2].'],
  [-32_614, 'eth_getLogs is limited to a 10,000 range'],
  [-32_602, 'eth_getLogs and eth_newFilter are limited to a 10,000 blocks range'],
  [-32_602, 'query exceeds max results 20000, retry with the range 50784086-50785570'],
  [-32_602, 'query exceeds max block range 100000'],
  [-32_047, "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800"],
  [-32_000, 'exceed maximum block range: 5000'],
  [-32_000, 'logs matched by query exceeds limit of 10000'],
  [-32_000, 'Too many logs requested. Max logs per response is 20000.'],
  [-32_000, 'query timeout exceeded'],
  [-32_000, 'block range is too wide'],
  [-32_000, 'Block range limit exceeded'],
  [-32_012, 'requested range too large'],
  [-32_020, 'backend response too large'],
  [-32_008, 'Response is too big'],
  [35, 'ranges over 10000 blocks are not supported on freetier'],
  [-32_000, 'Maximum allowed number of requested blocks is 100000'],
])('a smaller range may pass: %i %s', (code, message) => {
  expect(refusesRange({ code, message })).toBe(true);
});

test.each([
  [-32_005, 'daily request count exceeded, request rate limited'],
  [429, 'Too Many Requests'],
  [-32_016, 'rate limit exceeded'],
  [-32_000, 'block range extends beyond current head block'],
  [-32_000, 'block is out of range'],
  [-32_000, 'header not found'],
  [-32_001, 'Unauthorized: invalid api key'],
  [-32_601, 'the method eth_getLogs does not exist'],
  [-32_603, 'internal error'],
  [-32_014, 'block not yet imported'],
])('a smaller range does not help: %i %s', (code, message) => {
  expect(refusesRange({ code, message })).toBe(false);
});
