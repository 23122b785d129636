import { test } from 'vitest';
import { runDrill, type Step } from './drill.ts';
import type { StepsOf } from './rotations.ts';
import {
  endEvmRelayer,
  giveTimelockADelay,
  rotateEvmRelayer,
  rotateKeystorePassword,
  rotateNodeKey,
  rotateRecoveryKey,
  rotateSolanaRelayer,
} from './steps/relayer-keys.ts';

const STEPS: StepsOf<'relayers', Step> = {
  'key in an RPC address': rotateNodeKey,
  'keystore password': rotateKeystorePassword,
  'recovery key': async (drill) => {
    await giveTimelockADelay(drill);
    await rotateRecoveryKey(drill);
  },
  'EVM relayer key': rotateEvmRelayer,
  'Solana relayer key': rotateSolanaRelayer,
};

test('each key of settlement is replaced under load: no answer fails, and the old one has no role and no coins', async () => {
  await endEvmRelayer(await runDrill(STEPS));
}, 900_000);
