import { expect, test } from 'vitest';
import { DENIED_PORTS } from './endpoint-url.ts';
import { judgeNewHeaders, judgeNewUrl } from './judge-endpoint.ts';

const deniedPorts = new Set(DENIED_PORTS);
const judge = (url: string, mode: 'live' | 'test', allowLoopback = false) =>
  judgeNewUrl(url, { mode, deniedPorts, allowLoopback });

test.each([
  'http://0x7f.1/',
  'http://2130706433/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://１２７.０.０.１/',
  'http://[::ffff:127.0.0.1]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[2002:7f00:1::]/',
  'http://10.0.0.1/',
  'http://localhost/',
  'http://localhost./',
  'http://shop.localhost/',
  'http://LOCALHOST/',
  'http://metadata.google.internal/',
])('%s can’t be saved in test mode, and not in live mode either', (url) => {
  expect(judge(url, 'test')).toBe('url_address_denied');
  expect(judge(url.replace('http:', 'https:'), 'live')).toMatch(/^url_(is_an_address|address_denied)$/);
});

test('the operator’s switch opens this machine to test mode and to nothing else', () => {
  for (const url of ['http://127.0.0.1:3000/hooks', 'http://localhost:3000/', 'http://[::1]:3000/']) {
    expect(judge(url, 'test', true)).toBeUndefined();
    expect(judge(url.replace('http:', 'https:'), 'live', true)).toBeDefined();
  }
  expect(judge('http://10.0.0.1/', 'test', true)).toBe('url_address_denied');
  expect(judge('http://[::ffff:127.0.0.1]/', 'test', true)).toBe('url_address_denied');
  expect(judge('http://metadata.google.internal/', 'test', true)).toBe('url_address_denied');
});

test('names on the internet may be saved', () => {
  expect(judge('https://shop.example/hooks', 'live')).toBeUndefined();
  expect(judge('http://shop.example:8080/hooks', 'test')).toBeUndefined();
});

test('a mask that was read is not taken for a value', () => {
  expect(judgeNewHeaders({ 'X-Shop': 'a' })).toBeNull();
  expect(judgeNewHeaders({ 'X-Shop': 'a', 'X-Key': '***' })).toBe('X-Key');
  expect(judgeNewHeaders({ Host: 'a' })).toBe('Host');
});
