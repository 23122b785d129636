import { expect, test } from 'vitest';
import { runDrill, type Step } from './drill.ts';
import type { StepsOf } from './rotations.ts';
import {
  rotateAuditKey,
  rotateEngineIdentity,
  rotateInternalKey,
  rotateMasterKey,
  rotateOperatorKey,
  rotatePepper,
} from './steps/service-secrets.ts';

const STEPS: StepsOf<'services', Step> = {
  'internal key': rotateInternalKey,
  pepper: rotatePepper,
  'master key': rotateMasterKey,
  'engine identity': rotateEngineIdentity,
  'audit signing key': rotateAuditKey,
  'operator’s key': rotateOperatorKey,
};

test('each secret of the services is replaced under load: no answer fails, and the old one is worth nothing', async () => {
  await expect(runDrill(STEPS)).resolves.toBeDefined();
}, 900_000);
