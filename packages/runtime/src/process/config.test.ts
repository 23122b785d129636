import { expect, test } from 'vitest';
import { SERVICE_SETTINGS } from '../config/service-settings.ts';
import { childEnvironment, dropForeignSettings, environmentFor } from './config.ts';
import { SERVICE_NAMES } from './find-service.ts';

const SECRETS = {
  SVC_DATABASE_URL: 'postgres://a/b',
  SVC_KEY_PEPPER: 'pepper',
  SVC_INTERNAL_KEY: 'internal',
  SVC_INTERNAL_KEYS: 'internal',
  SVC_MASTER_KEYS: 'master',
  SVC_RELAYER_TEST_KEYS: 'relayer',
  SVC_RELAYER_PASSWORD_FILE: 'password',
  SVC_SECRET_KEY: 'sk',
  SVC_OPERATOR_KEY: 'opk',
  SVC_AUDIT_SIGNING_KEY: 'audit',
  AWS_SECRET_ACCESS_KEY: 'kms',
  PGPASSWORD: 'password',
  GITHUB_TOKEN: 'token',
};
const BASICS = {
  PATH: '/bin',
  HOME: '/root',
  TZ: 'UTC',
  NODE_OPTIONS: '',
  NODE_EXTRA_CA_CERTS: '/ca',
  HTTPS_PROXY: 'p',
};

test.each([
  ['api', ['SVC_DATABASE_URL', 'SVC_KEY_PEPPER', 'SVC_INTERNAL_KEY']],
  [
    'settlement',
    [
      'SVC_DATABASE_URL',
      'SVC_INTERNAL_KEYS',
      'SVC_RELAYER_TEST_KEYS',
      'SVC_RELAYER_PASSWORD_FILE',
      'AWS_SECRET_ACCESS_KEY',
    ],
  ],
  ['webhooks', ['SVC_DATABASE_URL', 'SVC_MASTER_KEYS']],
  ['admin', ['SVC_DATABASE_URL', 'SVC_KEY_PEPPER', 'SVC_AUDIT_SIGNING_KEY']],
] as const)('%s gets its own secrets and the basics, and no others', (service, own) => {
  const given = environmentFor(service, { ...SECRETS, ...BASICS });
  expect(Object.keys(given).toSorted()).toEqual([...own, ...Object.keys(BASICS)].toSorted());
});

test('no service is given a secret of the command', () => {
  const named = [...SERVICE_NAMES, 'admin' as const].flatMap((service) => [...SERVICE_SETTINGS[service]] as string[]);
  expect(named).not.toContain('SVC_OPERATOR');
  expect(named).not.toContain('SVC_OPERATOR_KEY');
  expect(named).not.toContain('SVC_SECRET_KEY');
  expect(named).not.toContain('SVC_RPC_URL');
});

test('a service forgets what is not its own, and says the names', () => {
  const environment: NodeJS.ProcessEnv = { ...SECRETS, ...BASICS };
  expect(dropForeignSettings('webhooks', environment)).toEqual([
    'SVC_AUDIT_SIGNING_KEY',
    'SVC_INTERNAL_KEY',
    'SVC_INTERNAL_KEYS',
    'SVC_KEY_PEPPER',
    'SVC_OPERATOR_KEY',
    'SVC_RELAYER_PASSWORD_FILE',
    'SVC_RELAYER_TEST_KEYS',
    'SVC_SECRET_KEY',
  ]);
  expect(Object.keys(environment).filter((name) => name.startsWith('SVC_'))).toEqual([
    'SVC_DATABASE_URL',
    'SVC_MASTER_KEYS',
  ]);
});

test('a secret that is given replaces the file that the surroundings name', () => {
  process.env['SVC_KEY_PEPPER_FILE'] = '/a/file';
  try {
    expect(childEnvironment('api', {})).toMatchObject({ SVC_KEY_PEPPER_FILE: '/a/file' });
    expect(childEnvironment('api', { SVC_KEY_PEPPER: 'a' })['SVC_KEY_PEPPER_FILE']).toBeUndefined();
  } finally {
    delete process.env['SVC_KEY_PEPPER_FILE'];
  }
});
