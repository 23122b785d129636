// The memory reader store as its contract suite sees it.
import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { createMemoryReaderStore } from './memory-reader-store.ts';
import { ofNetwork } from './memory-reader-tables.ts';
import { seedAuthorization, seedIntent } from './memory-seed.ts';
import { createTables } from './memory-tables.ts';
import type { ReaderHarness } from './reader-harness.ts';
import { sampleIntent } from './samples.ts';
import { someAddress } from './settled-payment.ts';

const NETWORK = evmNetwork(84_532);
const NOW_MS = 1_790_000_000_000;

export function createMemoryReaderHarness(): ReaderHarness {
  const tables = createTables();
  return {
    network: NETWORK,
    otherNetwork: evmNetwork(8_453),
    reader: createMemoryReaderStore(tables, async (_name, action) => action()),
    nowMs: () => NOW_MS,
    offer: async (source) => {
      const start = { firstBlock: undefined, offeredAtSeconds: undefined };
      tables.offeredSources.set(ofNetwork(NETWORK, source.address), { ...source, ...start });
    },
    claim: async (token) => {
      const code = tables.intents.size + 1;
      const times = { createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 1 };
      const intent = sampleIntent({ id: newId('paymentIntent', NOW_MS + code), intentCode: code, ...times });
      seedIntent(tables, intent, true);
      const [payer, nonce] = [someAddress(code), `0x${code.toString(16).padStart(64, '0')}`];
      const payout = { id: 1n, merchant: someAddress(0x66), feeBps: 100, splits: [] };
      const terms = { asset: token, processor: someAddress(0x22), payer, nonce, payout };
      seedAuthorization(tables, intent, { ...terms, capAtomic: 1n, validBeforeSeconds: 2n ** 40n }, NOW_MS);
      return { payer, nonce };
    },
  };
}
