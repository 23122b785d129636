// Ports of the facilitator routes: those of create and settle, and the leases.
import type { CreateIntentPorts } from '../intent/create-intent.ts';
import type { SettlePorts } from '../settlement/settle-ports.ts';
import type { LeaseStore } from './lease-store.ts';

export type FacilitatorPorts = SettlePorts &
  Pick<
    CreateIntentPorts,
    'findWithdrawn' | 'rateOf' | 'priceLifeMs' | 'loadMerchant' | 'nextIntentCode' | 'facilitatorUrl'
  > &
  LeaseStore & {
    /** Longest time until a settle of a seller is answered. */
    readonly sellerWaitMs: number;
    /** Resolves after this time, or with false as soon as a process that is stopping must answer. */
    readonly pause: (milliseconds: number) => Promise<boolean>;
  };
