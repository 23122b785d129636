import { expect, test } from 'vitest';
import { listenOverflows, parseNetstat } from './netstat.ts';

const TEXT = `TcpExt: SyncookiesSent ListenOverflows ListenDrops
TcpExt: 1 3538 3540
IpExt: InNoRoutes ListenOverflows
IpExt: 7 9
`;

test('a counter is read from the line of values of its protocol', () => {
  expect(parseNetstat(TEXT, 'TcpExt', 'ListenOverflows')).toBe(3_538);
  expect(parseNetstat(TEXT, 'TcpExt', 'ListenDrops')).toBe(3_540);
  expect(parseNetstat(TEXT, 'IpExt', 'ListenOverflows')).toBe(9);
});

test('a counter that the kernel does not have is an error and not 0', () => {
  expect(() => parseNetstat(TEXT, 'TcpExt', 'Nothing')).toThrow('TcpExt Nothing');
  expect(() => parseNetstat(TEXT, 'MPTcpExt', 'ListenOverflows')).toThrow('MPTcpExt');
});

test('this machine counts overflows of listen queues', () => {
  expect(listenOverflows()).toBeGreaterThanOrEqual(0);
});
