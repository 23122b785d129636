import type { FieldTexts } from './field-text.ts';
import { LIST_TEXTS } from './list-texts.ts';
import { OVERVIEW_TEXTS } from './overview-texts.ts';
import { PAYMENT_TEXTS } from './payment-texts.ts';
import { REFUND_TEXTS } from './refund-texts.ts';
import { REGULAR_TEXTS } from './regular-texts.ts';
import { TIMELINE_TEXTS } from './timeline-texts.ts';
import { WEBHOOK_TEXTS } from './webhook-texts.ts';
import { X402_TEXTS } from './x402-texts.ts';

const SERVICE_TEXTS: FieldTexts = {
  'Health.status': ['The process runs', 'ok'],
  'Ready.status': ['The process answers requests', 'ready'],
  'Places.name': ['What this is', 'SVC Pay'],
  apiReference: ['The reference as a page', 'https://pay.example.com/reference'],
  errors: ['Every error code, and what to do about it', 'https://pay.example.com/reference/errors'],
  openapi: ['The reference as an OpenAPI document', 'https://pay.example.com/openapi.json'],
  health: ['Whether the process runs', 'https://pay.example.com/health'],
  ready: ['Whether it answers requests', 'https://pay.example.com/ready'],
};

export const FIELD_TEXTS: FieldTexts = {
  ...PAYMENT_TEXTS,
  ...WEBHOOK_TEXTS,
  ...LIST_TEXTS,
  ...REFUND_TEXTS,
  ...X402_TEXTS,
  ...REGULAR_TEXTS,
  ...TIMELINE_TEXTS,
  ...OVERVIEW_TEXTS,
  ...SERVICE_TEXTS,
};
