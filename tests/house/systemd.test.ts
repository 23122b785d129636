import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const FOLDER = 'deploy/systemd';
/** Of 100, as `systemd-analyze security` counts; a unit without any setting has 96. */
const MOST_EXPOSURE = 15;
const units = readdirSync(FOLDER).toSorted();
const textOf = (unit: string) => readFileSync(`${FOLDER}/${unit}`, 'utf8');
const unitOf = (service: string) => `svc-pay-${service}.service`;
const listed = readFileSync('packages/runtime/src/config/service-settings.ts', 'utf8');
const services = [...listed.matchAll(/^ {2}(\w+): \[([^\]]*)\]/gm)].map(([, service = '', settings = '']) => ({
  service,
  settings: [...settings.matchAll(/'(\w+)'/g)].map(([, name = '']) => name),
}));

test('every service has its unit, and so has the engine', () => {
  expect(units).toEqual(['restate.service', ...services.map(({ service }) => unitOf(service))].toSorted());
});

test.each(services)(
  'the unit of $service names settings that this service has, and its own environment',
  ({ service, settings }) => {
    const text = textOf(unitOf(service));
    const known = new Set(settings);
    const named = [...text.matchAll(/\b(SVC_[A-Z_]+)=/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    expect(text).toContain(`EnvironmentFile=/etc/svc-pay/${service}.env\n`);
    expect(text).toContain(`/services/${service}/src/main.ts\n`);
  },
);

test.each(units)('%s: each credential is given to the process by its path, and no secret by its value', (unit) => {
  const text = textOf(unit);
  // The folder of relayer keys is named in the environment, file by file.
  const loaded = [...text.matchAll(/^LoadCredential=([\w-]+):/gm)]
    .map(([, id = '']) => id)
    .filter((id) => id !== 'relayer');
  const given = [...text.matchAll(/^ {2}[A-Z_]+=%d\/([\w-]+) \\$/gm)].map(([, id = '']) => id);
  expect(loaded.length).toBeGreaterThan(0);
  expect(given).toEqual(loaded);
  expect(text).not.toMatch(/SetCredential|PASSWORD=|SECRET=/);
});

const missing = spawnSync('systemd-analyze', ['--version']).status !== 0;
describe.skipIf(missing)(missing ? 'skipped, no systemd-analyze on this machine' : 'with systemd-analyze', () => {
  test.each(units)('%s is understood by systemd', (unit) => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', `${FOLDER}/${unit}`]);
    expect([status, stderr.toString()]).toEqual([0, '']);
  });

  test.each(units)('%s leaves an intruder little', (unit) => {
    const options = ['--offline=true', `--threshold=${MOST_EXPOSURE}`, '--no-pager'];
    const { status, stdout } = spawnSync('systemd-analyze', ['security', ...options, `${FOLDER}/${unit}`]);
    expect([status, stdout.toString().split('\n').at(-2)]).toEqual([0, expect.stringContaining('Overall exposure')]);
  });
});
