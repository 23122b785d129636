import { expect, test } from 'vitest';
import { runDrill, type Step } from './drill.ts';
import type { StepsOf } from './rotations.ts';
import {
  rotateAdminLogin,
  rotateApiLogin,
  rotateOperatorLogin,
  rotateSettlementLogin,
  rotateSuperuserPassword,
  rotateWebhooksLogin,
} from './steps/database-logins.ts';

const STEPS: StepsOf<'logins', Step> = {
  'database login of the API': rotateApiLogin,
  'database login of settlement': rotateSettlementLogin,
  'database login of webhooks': rotateWebhooksLogin,
  'database login of admin': rotateAdminLogin,
  'database login of the command': rotateOperatorLogin,
  'superuser’s password': rotateSuperuserPassword,
};

test('each database login is replaced under load: no answer fails, and the old one can’t connect', async () => {
  await expect(runDrill(STEPS)).resolves.toBeDefined();
}, 600_000);
