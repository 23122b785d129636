// Lists of payments and intents, and the statement of a day.
import { EXAMPLE_IDS, type FieldTexts } from './field-text.ts';

const CURSOR = 'cGF5XzAxazl6M3Y1dzhxMnI0czZ0N3gweTFhYmNk';

export const LIST_TEXTS: FieldTexts = {
  nextCursor: ['For `after`, with the same filters: the page of older items; null at the end', CURSOR],
  previousCursor: ['For `before`, with the same filters: newer items, also those that are added later', CURSOR],
  metadataSince: ['With a metadata filter: intents from this time on are found by the key', '2026-11-15T12:00:00.000Z'],
  'AttemptList.data': ['Refused payments of the intent, newest first'],
  'AttemptList.code': ['Code of the error reference that says why it was refused', 'insufficient_funds'],
  'AttemptPage.data': ['Refused payments of all intents, newest first'],
  'AttemptPage.code': ['Code of the error reference that says why it was refused', 'insufficient_funds'],
  'StatementPart.cursor': ['For the next part; null at the end of the day', null],
  day: ['The day (UTC)', '2026-11-16'],
  lines: ['Sums of this part, one line per chain and token; the lines of all parts add up to the statement'],
  gasToken: ['Coin that pays for gas', 'ETH'],
  gasDecimals: ['Decimal places of that coin', 18],
  payments: ['Payments that were booked', 12],
  refunds: ['Refunds of the day', 0],
  refunded: ['What refunds gave back, in whole coins', '0'],
  reversals: ['Payments that were taken back after a reorg', 0],
  gross: ['What payers paid, in whole tokens', '120.5'],
  fee: ['Fee of the platform, in whole tokens', '1.205'],
  'lines.splits': ['Shares of others, in whole tokens', '0'],
  refund: ['What went back to payers, in whole tokens', '0'],
  escrow: ['What is held for payers, in whole tokens', '0'],
  net: ['What the merchant got, in whole tokens', '119.295'],
  gas: ['Network cost that the operator paid, in whole coins', '0.00021'],
  'AttemptPage.id': ['Id of the attempt', `att_${EXAMPLE_IDS.intent.slice(3)}`],
  'AttemptList.id': ['Id of the attempt', `att_${EXAMPLE_IDS.intent.slice(3)}`],
};
