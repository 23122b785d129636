// What the fields of a timeline mean. A field that several kinds of entries have means the same in each.
import { EXAMPLE_IDS, type FieldTexts } from './field-text.ts';

const TIME = '2026-11-15T12:00:05.000Z';
const RELAYER = '0x6813Eb9362372EEF6200f3b1dbC3f819671cBA69';
const WALLET = '0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF';
const PART = EXAMPLE_IDS.intent.slice(3);

const ABOUT_WHY =
  'Code that says why: of the error reference, of a delivery’s end, or one of `underpaid`, `overpaid`, `paid_aside`, ' +
  '`batch_reverted`, `batch_replaced`, `superseded`, `somebody_else_sent_it`, `block_removed`; of what is not over, a situation as of ' +
  'the whole timeline. Null where nothing needs a reason';

const ABOUT_SITUATION =
  'Why the intent stands where it stands: `awaits_payer`, `awaits_charge`, `awaits_lane`, `awaits_next_try`, `awaits_block`, ' +
  '`awaits_final_block`, `awaits_proof`, `awaits_rest`, `awaits_merchant`, `paid`, `paid_and_final`, `refunded`, `canceled`, ' +
  '`released`, `expired`, or a code of the error reference';

export const TIMELINE_TEXTS: FieldTexts = {
  'PaymentTimeline.why': [ABOUT_SITUATION, 'paid_and_final'],
  'entries.why': [ABOUT_WHY, null],
  atRest: ['No further entry will come, unless a block is removed or somebody acts', true],
  asOf: ['All of it is as it was at this time', TIME],
  'PaymentTimeline.entries': ['What happened, oldest first; each kind has its own fields'],
  truncated: [
    'More is stored than the entries show. Of payments, authorizations, batches, events and delivery attempts the newest are shown; ' +
      'ledger entries and refunds are those of the newest payments',
    false,
  ],
  'PaymentTimeline.at': ['When it happened', TIME],
  'PaymentTimeline.kind': ['What happened'],
  offers: ['Ways to pay that the intent was offered with'],
  flow: ['`x402`: by signature. `regular`: by a transaction of the payer', 'x402'],
  authorizationKind: ['What the payer signed', 'receive_with_authorization'],
  direct: ['It pays your own wallet, without the processor between', false],
  'PaymentTimeline.recipient': ['Who gets the money: the processor, or your wallet', WALLET],
  cap: ['What was signed: the price, or the cap of an up-to intent', '1500000'],
  charged: ['What was charged of it; null while nothing is', '1500000'],
  released: ['What the payer keeps of it; null while that is not decided', '0'],
  validUntil: ['It can’t move money after', '2026-11-15T12:10:00.000Z'],
  closedAt: ['Since when it can’t move money any more', TIME],
  'PaymentTimeline.status': ['How it stands now'],
  settlementStatus: ['How the transfer stands; null where you or the payer sent it', 'completed'],
  retryAt: ['It is not sent before', null],
  batchId: ['Id of the batch', `bat_${PART}`],
  'PaymentTimeline.refundId': ['Id of the refund; null for a payment', null],
  relayer: ['Address that sends the transaction and pays its gas', RELAYER],
  'PaymentTimeline.nonce': ['Number of the transaction among those of the relayer', '41'],
  itemCount: ['Payments and refunds in the transaction, also those of others', 12],
  batchStatus: ['How the batch stands now', 'finalized'],
  'PaymentTimeline.attempt': ['Number of the attempt, from 1; a transaction with a higher fee is another attempt', 1],
  'PaymentTimeline.outcome': ['What became of it'],
  blockNumber: ['Block of the transaction; null before there is one', '14201337'],
  'entries.entries': ['Ledger entries; they sum to zero in each asset'],
  'PaymentTimeline.id': ['Id of the ledger entry', `lg_${PART}`],
  'entries.account': ['Account of the books', 'merchant'],
  party: ['Whose account it is', WALLET],
  'PaymentTimeline.logIndex': ['Log that proves the entry', 3],
  reverses: ['The entry that this one takes back after a reorg', null],
  action: ['What is done with money that somebody else brought to the processor', 'settle'],
  eventType: ['Type of the event', 'payment.completed'],
  'PaymentTimeline.deliveries': ['One for each endpoint'],
  'PaymentTimeline.refund': ['The refund as it is now'],
};
