import { expect, test } from 'vitest';
import { createMethodCounter } from './method-counter.ts';

const CALLS = [
  { jsonrpc: '2.0', id: 0, method: 'eth_call', params: [{ data: '0x' }] },
  { jsonrpc: '2.0', id: 1, method: 'eth_getCode', params: [] },
  { jsonrpc: '2.0', id: 2, method: 'eth_call', params: [] },
];
const BYTES = Buffer.from(`POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n${JSON.stringify(CALLS)}`);

test('calls of a batch are counted by method', () => {
  const counts = new Map<string, number>();
  createMethodCounter(counts)(BYTES);
  expect(Object.fromEntries(counts)).toEqual({ eth_call: 2, eth_getCode: 1 });
});

test('a call that is cut anywhere is counted once', () => {
  for (let cut = 1; cut < BYTES.length; cut += 1) {
    const counts = new Map<string, number>();
    const take = createMethodCounter(counts);
    take(BYTES.subarray(0, cut));
    take(BYTES.subarray(cut));
    expect(Object.fromEntries(counts), `cut at ${cut}`).toEqual({ eth_call: 2, eth_getCode: 1 });
  }
});

test('single bytes are counted like the whole', () => {
  const counts = new Map<string, number>();
  const take = createMethodCounter(counts);
  for (const byte of BYTES) take(Buffer.from([byte]));
  expect(Object.fromEntries(counts)).toEqual({ eth_call: 2, eth_getCode: 1 });
});
