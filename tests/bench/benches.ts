// All benches, by the name that the command takes.
import type { Bench } from './bench.ts';
import { benchExport } from './export/bench-export.ts';
import { benchFacilitator } from './facilitator/bench-facilitator.ts';
import { benchGrowth } from './growth/bench-growth.ts';
import { benchIntents } from './intents/bench-intents.ts';
import { benchLists } from './lists/bench-lists.ts';
import { benchReader } from './reader/bench-reader.ts';
import { benchSettle } from './settle/bench-settle.ts';
import { benchSolana } from './solana/bench-solana.ts';
import { benchWebhookVerify } from './webhook-verify.ts';
import { benchWebhooks } from './webhooks/bench-webhooks.ts';

export const BENCHES: Readonly<Record<string, Bench>> = {
  export: { seconds: 30, run: benchExport },
  facilitator: { seconds: 8, run: benchFacilitator },
  growth: { seconds: 10, run: benchGrowth },
  intents: { seconds: 15, run: ({ seconds }) => benchIntents(seconds) },
  lists: { seconds: 0, run: benchLists },
  reader: { seconds: 0, run: benchReader },
  settle: { seconds: 20, run: benchSettle },
  solana: { seconds: 15, run: benchSolana },
  'webhook-verify': { seconds: 15, run: ({ seconds }) => benchWebhookVerify(seconds) },
  webhooks: { seconds: 180, run: benchWebhooks },
};
