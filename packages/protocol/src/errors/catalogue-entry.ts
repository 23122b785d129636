/** Party that can resolve the error. */
type Actor = 'payer' | 'merchant' | 'operator' | 'anyone';

export type CatalogueEntry = {
  readonly status: number;
  /** A sentence for people; says what to do where something can be done. */
  readonly message: string;
  /** True when the same request may succeed later unchanged. */
  readonly retryable: boolean;
  readonly actor: Actor;
};

export const entry = (status: number, actor: Actor, message: string, retryable = false): CatalogueEntry => ({
  status,
  message,
  retryable,
  actor,
});
