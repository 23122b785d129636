import type { ServerResponse } from 'node:http';
import type { Answer } from '@svc-pay/core';
import type { MoneyMoved } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';

/** Result of a route's handler. */
export type RouteOutcome =
  | {
      readonly ok: true;
      readonly answer: Answer;
      readonly replayed: boolean;
      /** Called once: true when the answer was written to the connection as a whole, false when that ended before. */
      readonly answered?: (arrived: boolean) => void;
      /** The connection is closed when the client takes nothing of the answer for so long. */
      readonly sendTimeoutMs?: number;
    }
  /** `stream` takes over the response and ends it. */
  | { readonly ok: true; readonly stream: (response: ServerResponse) => void }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly param: string | null;
      /** Of this very mistake; absent: the catalogue's sentence. */
      readonly message?: string;
      readonly moneyMoved?: MoneyMoved;
      readonly headers?: Readonly<Record<string, string>>;
    };
