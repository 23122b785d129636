import { defineTransitions, type StatusOf, statusNames } from '../transitions.ts';

export const ENDPOINT_TRANSITIONS = defineTransitions({
  start: ['enabled'],
  states: {
    enabled: {
      about: 'The endpoint gets events. The merchant, an answer 410 or five days of failures make it `disabled`.',
      next: ['disabled', 'deleted'],
    },
    disabled: {
      about: 'The deliveries of the endpoint wait. They become due when the merchant or an operator enables it again.',
      next: ['enabled', 'deleted'],
    },
    deleted: {
      about: 'The merchant removed the endpoint with its secrets; open deliveries are discarded.',
      next: [],
    },
  },
});

export const ENDPOINT_STATUS = statusNames(ENDPOINT_TRANSITIONS);
export type EndpointStatus = StatusOf<typeof ENDPOINT_TRANSITIONS>;
