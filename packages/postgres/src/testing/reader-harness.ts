// The reader store over Postgres as its contract suite sees it.
import { claimKey } from '@svc-pay/core';
import type { ReaderHarness } from '@svc-pay/core/testing/contracts';
import { evmNetwork } from '@svc-pay/protocol';
import type pg from 'pg';
import { createReaderStore } from '../reader/reader-store.ts';
import { createTestDatabase } from './create-test-database.ts';
import { idAt } from './id-at.ts';
import { insertRow, NOW } from './sample-rows.ts';

const NETWORK = evmNetwork(84_532);
const WALLET = `0x${'a1'.repeat(20)}`;

export async function createReaderHarness(): Promise<ReaderHarness & { readonly pool: pg.Pool }> {
  const { pool } = await createTestDatabase();
  await insertRow(pool, 'accounts');
  await insertRow(pool, 'account_modes');
  let count = 0;
  return {
    pool,
    network: NETWORK,
    otherNetwork: evmNetwork(8_453),
    reader: createReaderStore(pool),
    nowMs: () => NOW.getTime(),
    offer: async ({ address, kind }) => {
      const payout_id = ++count;
      if (kind === 'processor') return insertRow(pool, 'payouts', { payout_id, processor: address });
      const direct = { kind: 'direct', asset: address, activation: '{}', active_from: NOW, fee_bps: 0 };
      return insertRow(pool, 'payouts', { payout_id, processor: WALLET, merchant: WALLET, ...direct });
    },
    claim: async (token) => {
      const intentId = idAt('pi', NOW.getTime() + ++count);
      const [payer, nonce] = [`0x${count.toString(16).padStart(40, '0')}`, `0x${count.toString(16).padStart(64, '0')}`];
      const named = {
        intent_id: intentId,
        claim_key: claimKey({ network: NETWORK, asset: token, payer, uniquePart: nonce }),
        asset: token,
        payer,
        nonce: Buffer.from(nonce.slice(2), 'hex'),
      };
      await insertRow(pool, 'claims', named);
      await insertRow(pool, 'authorizations', { ...named, recipient: WALLET, direct: true, unused_at_block: 1 });
      return { payer, nonce };
    },
  };
}
