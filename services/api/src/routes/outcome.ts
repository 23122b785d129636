import type { ServerResponse } from 'node:http';
import type { Answer } from '@svc-pay/core';
import type { MoneyMoved } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';

/** What a route made of a call. */
export type Outcome =
  | { readonly ok: true; readonly answer: Answer; readonly replayed: boolean }
  /** Takes over the response and ends it itself. */
  | { readonly ok: true; readonly stream: (response: ServerResponse) => void }
  | { readonly ok: false; readonly code: ErrorCode; readonly param: string | null; readonly moneyMoved?: MoneyMoved };
