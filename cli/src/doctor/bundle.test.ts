import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { evmNetwork } from '@svc-pay/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { bundleText } from './bundle.ts';
import { findingsOf } from './finding.ts';

const environment = {
  SVC_DATABASE_URL: 'postgres://svc:canary-password@db.example/svc',
  SVC_KEY_PEPPER: 'canary-pepper-text',
};
const networks = new Map([
  [
    evmNetwork(84_532),
    {
      processor: `0x${'52'.repeat(20)}`,
      processorVersion: '1.3.0',
      ready: true,
      rpcUrls: ['https://ann:canary-pass@rpc.example/v2/canary-path?key=canary-query'],
    },
  ],
]);
const input = { environment, networks, generatedAt: '2026-11-15T12:00:00.000Z', machine: {} };

test('a report says what is set and where, and holds nothing that opens anything', () => {
  const text = bundleText({ ...input, findings: [findingsOf('database', 'fsync').ok('fsync is on.')] });
  expect(JSON.parse(text)).toMatchObject({
    settings: { SVC_DATABASE_URL: 'set', SVC_KEY_PEPPER: 'set', SVC_MASTER_KEYS: 'absent' },
    networks: { 'eip155:84532': { rpcHosts: ['rpc.example'] } },
    findings: [{ subject: 'fsync', status: 'ok' }],
  });
  expect(text).not.toContain('canary');
});

test.each(['canary-password', 'canary-pepper-text', 'v2/canary-path', 'key=canary-query'])(
  'a finding that quotes %s stops the report',
  (secret) => {
    const findings = [findingsOf('network', 'x').problem(`it said ${secret}`, 'Look.')];
    expect(() => bundleText({ ...input, findings })).toThrow('not written');
  },
);

test('secrets of every program stop the report: by value, by file, and a value in the place of a path', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-bundle-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'internal-key');
  writeFileSync(file, 'canary-in-file\n');
  const others = [
    { SVC_INTERNAL_KEY_FILE: file, SVC_KEY_PEPPER_FILE: '/canary/raw+value' },
    { SVC_INTERNAL_KEYS: 'canary-by-value' },
  ];
  const reportWith = (text: string) =>
    bundleText({ ...input, others, findings: [findingsOf('network', 'x').problem(`it said ${text}`, 'Look.')] });
  for (const secret of ['canary-in-file', '/canary/raw+value', 'canary-by-value'])
    expect(() => reportWith(secret), secret).toThrow('not written');
  // The path of a file that exists is no secret.
  expect(reportWith(file)).toContain(file);
});
