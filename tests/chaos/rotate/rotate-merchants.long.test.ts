import { expect, test } from 'vitest';
import { runDrill, type Step } from './drill.ts';
import type { StepsOf } from './rotations.ts';
import { rotateEndpointSecret, rotatePublishableKey, rotateSecretKey } from './steps/merchant-secrets.ts';

const STEPS: StepsOf<'merchants', Step> = {
  'secret key of a merchant': rotateSecretKey,
  'publishable key': rotatePublishableKey,
  'secret of a webhook endpoint': rotateEndpointSecret,
};

test('each secret of a merchant is replaced under load: no answer fails, no delivery is refused, the old one is dead', async () => {
  await expect(runDrill(STEPS)).resolves.toBeDefined();
}, 600_000);
