import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ADMIN_SETTINGS } from '@svc-pay/admin/config';
import { API_SETTINGS } from '@svc-pay/api/config';
import { BUYER_SETTINGS } from '@svc-pay/cli/buyer-config';
import { OPERATOR_SETTINGS } from '@svc-pay/cli/config';
import { evmKeyFiles, solanaKeyFiles } from '@svc-pay/cli/init/key-files';
import { completeSecrets } from '@svc-pay/cli/init/secrets';
import { MERCHANT_SETTINGS } from '@svc-pay/cli/merchant-config';
import { REHEARSE_SETTINGS } from '@svc-pay/cli/rehearse-config';
import { CHAINS } from '@svc-pay/core';
import { SEALED_COLUMNS } from '@svc-pay/postgres/operator';
import type { Settings } from '@svc-pay/runtime/config';
import { SETTLEMENT_SETTINGS } from '@svc-pay/settlement/config';
import { WEBHOOKS_SETTINGS } from '@svc-pay/webhooks/config';
import { expect, test } from 'vitest';
import { DRILLS, NO_SECRETS, ROTATIONS } from '../chaos/rotate/rotations.ts';

const settings = [
  API_SETTINGS,
  SETTLEMENT_SETTINGS,
  WEBHOOKS_SETTINGS,
  ADMIN_SETTINGS,
  OPERATOR_SETTINGS,
  MERCHANT_SETTINGS,
  BUYER_SETTINGS,
  REHEARSE_SETTINGS,
].flatMap((group) => Object.values<Settings[string]>(group));
/** Also a setting that names a file of keys, or an address that may carry one. */
const SOUNDS_SECRET = /KEY|SECRET|PASSWORD|PEPPER|RELAYER_FILES|NETWORKS/;
const secretSettings = settings
  .filter(({ name, secret }) => secret || SOUNDS_SECRET.test(name))
  .map(({ name }) => name)
  .filter((name) => !(name in NO_SECRETS));

const sorted = (names: readonly string[]) => [...new Set(names)].toSorted();

test('every file of keys and secrets that init writes has a rotation', () => {
  const owner = { uid: 0, gid: 0 };
  const choices = { folder: '/etc/svc-pay', form: 'compose', chains: CHAINS, relayers: 1, database: 'db/svc', owner };
  const made = choices as unknown as Parameters<typeof completeSecrets>[0];
  const files = [
    ...completeSecrets(made, new Map()).keys(),
    ...[...evmKeyFiles(made), ...solanaKeyFiles(made)].map((file) => path.basename(file)),
  ];
  expect(sorted(ROTATIONS.flatMap((rotation) => rotation.files ?? []))).toEqual(sorted(files));
});

test('every setting with a secret has a rotation', () => {
  expect(sorted(ROTATIONS.flatMap((rotation) => rotation.settings ?? []))).toEqual(sorted(secretSettings));
});

test('every sealed column of the database has a rotation', () => {
  const columns = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(sorted(ROTATIONS.flatMap((rotation) => rotation.columns ?? []))).toEqual(sorted(columns));
});

test('every step of a drill replaces a secret of the list, once, and the page names secret and drill', () => {
  const steps = ROTATIONS.flatMap(({ by }) => (typeof by === 'string' ? [by] : []));
  expect(steps.toSorted()).toEqual(Object.values(DRILLS).flat().toSorted());
  const page = readFileSync('docs/operate/rotate-secrets.md', 'utf8');
  const rows = Object.entries(DRILLS).flatMap(([drill, names]) => names.map((name) => `| ${name} | ${drill} |`));
  expect(page.split('\n').filter((line) => rows.includes(line))).toEqual(rows);
});
