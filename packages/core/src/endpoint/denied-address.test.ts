import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeniedAddress } from './denied-address.ts';
import { parseIp, parseRange } from './ip-address.ts';

const strict = { allowLoopback: false, alsoDenied: [] };

/** First and last address of each denied range, and the neighbours outside of it. */
const RANGES: [string, string, string, (string | undefined)?, string?][] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
  ['10/8', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64/10', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127/8', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254/16', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16/12', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0/24', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2/24', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99/24', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168/16', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18/15', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100/24', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113/24', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224/4 and 240/4', '224.0.0.0', '255.255.255.255', '223.255.255.255'],
  ['2001::/23', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '2001:200::'],
  ['2001:db8::/32', '2001:db8::', '2001:db8:ffff::1', '2001:db7::1', '2001:db9::'],
  ['2002::/16', '2002::', '2002:ffff::1', '2001:ffff::', '2003::'],
  ['3fff::/20', '3fff::', '3fff:fff::1', '3ffe::', '3fff:1000::'],
];

test.each(RANGES)('%s is denied from end to end, and not its neighbours', (_, first, last, before, after) => {
  expect(isDeniedAddress(first, strict)).toBe(true);
  expect(isDeniedAddress(last, strict)).toBe(true);
  if (before !== undefined) expect(isDeniedAddress(before, strict)).toBe(false);
  if (after !== undefined) expect(isDeniedAddress(after, strict)).toBe(false);
});

test.each([
  '::',
  '::1',
  '::127.0.0.1',
  '::8.8.8.8',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.1.2.3',
  '::FFFF:a9fe:a9fe',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '5f00::1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '4000::1',
  '169.254.169.254',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fe80::1%eth0',
  '',
  'localhost',
  '0x7f.1',
  '2130706433',
  '0177.0.0.1',
  '127.1',
  '010.8.8.8',
  '1.2.3.256',
  '1.2.3',
  ':::',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '2606:4700::1::1',
  '2606:4700:12345::',
])('%s is denied', (address) => {
  expect(isDeniedAddress(address, strict)).toBe(true);
});

test.each(['8.8.8.8', '1.1.1.1', '::ffff:8.8.8.8', '2606:4700:4700::1111', '2A00:1450:4001:80b::200e'])(
  '%s is public',
  (address) => {
    expect(isDeniedAddress(address, strict)).toBe(false);
  },
);

test('loopback may be allowed, and nothing else with it', () => {
  const open = { ...strict, allowLoopback: true };
  for (const address of ['127.0.0.1', '127.9.9.9', '::1']) expect(isDeniedAddress(address, open)).toBe(false);
  for (const address of ['10.0.0.1', '0.0.0.0', '::', '169.254.169.254', '::ffff:10.0.0.1', '192.168.1.1']) {
    expect(isDeniedAddress(address, open)).toBe(true);
  }
});

test('the operator denies addresses of their own, wrapped ones too', () => {
  const own = { ...strict, alsoDenied: [parseRange('20.1.2.0/24')!, parseRange('2a00:99::/32')!] };
  for (const address of ['20.1.2.3', '::ffff:20.1.2.3', '2a00:99::7']) expect(isDeniedAddress(address, own)).toBe(true);
  expect(isDeniedAddress('20.1.3.3', own)).toBe(false);
});

test('however a private IPv4 address is wrapped, it stays denied', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xff_ffff }), (low) => {
      const [b, c, d] = [low >> 16, (low >> 8) & 255, low & 255];
      const hex = `${(0x0a00 | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      for (const text of [
        `10.${b}.${c}.${d}`,
        `::ffff:10.${b}.${c}.${d}`,
        `::ffff:${hex}`,
        `64:ff9b::${hex}`,
        `2002:${hex}::`,
      ]) {
        expect(isDeniedAddress(text, strict), text).toBe(true);
      }
    }),
  );
});

test('an address is read the same whether zeros are spelled out or not', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
      const long = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
      const short = new URL(`http://[${long}]/`).hostname.slice(1, -1);
      expect(parseIp(short)).toEqual(parseIp(long));
    }),
  );
});
