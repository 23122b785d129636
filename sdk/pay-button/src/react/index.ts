// The same button for React 18 and later.
import { createElement, type ReactElement, useEffect, useRef } from 'react';
import type { UptoSubmitted } from '../flow/tell-page.ts';
import { TAG_NAME } from '../index.ts';
import type { SvcPayButtonElement } from '../pay-button-element.ts';
import type { StateDetail } from '../state-event.ts';

export type SvcPayButtonProps = Partial<
  Pick<
    SvcPayButtonElement,
    | 'apiUrl'
    | 'publishableKey'
    | 'paymentIntentId'
    | 'clientSecret'
    | 'usdAmount'
    | 'amount'
    | 'tokenShortcode'
    | 'mode'
    | 'order'
    | 'description'
    | 'payTo'
    | 'maxAmount'
    | 'maxTimeoutSeconds'
    | 'theme'
    | 'lang'
    | 'words'
    | 'provider'
    | 'wallets'
  >
> & {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly className?: string;
  /** Called each time the button comes to another stage. */
  readonly onStateChange?: (detail: StateDetail) => void;
};

export function SvcPayButton({ onStateChange, className, lang, metadata, ...fields }: SvcPayButtonProps): ReactElement {
  const element = useRef<SvcPayButtonElement>(null);
  const listener = useRef(onStateChange);
  listener.current = onStateChange;
  const noted = metadata && JSON.stringify(metadata);
  useEffect(() => {
    if (element.current !== null) Object.assign(element.current, { ...UNTOLD, ...fields, metadata: noted });
  });
  useEffect(() => {
    const button = element.current;
    const hear = (event: Event) => listener.current?.((event as CustomEvent<StateDetail>).detail);
    button?.addEventListener('svc-pay-state', hear);
    return () => button?.removeEventListener('svc-pay-state', hear);
  }, []);
  return createElement(TAG_NAME, { ref: element, class: className, lang });
}

export type { StateDetail, SvcPayButtonElement, UptoSubmitted };

/** A prop that was left out after it was given is taken back. */
const UNTOLD: SvcPayButtonProps = {
  apiUrl: undefined,
  publishableKey: undefined,
  paymentIntentId: undefined,
  clientSecret: undefined,
  usdAmount: undefined,
  amount: undefined,
  tokenShortcode: undefined,
  mode: undefined,
  order: undefined,
  description: undefined,
  payTo: undefined,
  maxAmount: undefined,
  maxTimeoutSeconds: undefined,
  theme: undefined,
  words: undefined,
  provider: undefined,
  wallets: undefined,
};
