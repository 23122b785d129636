import type { NewUrlProblem } from '@svc-pay/core';

const REFUSED: Readonly<Record<NewUrlProblem, true>> = {
  url_malformed: true,
  url_too_long: true,
  url_scheme: true,
  url_has_credentials: true,
  url_port_denied: true,
  url_is_an_address: true,
  url_address_denied: true,
};

export const URL_REFUSALS = Object.keys(REFUSED) as readonly NewUrlProblem[];
