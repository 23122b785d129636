// The column `service_metadata` of an intent: the service's own keys, and which kind of key created it. The latter has no column
// of its own, because the release before reads `intent.*` by prepared statements, which fail once the table has another column.
import type { Intent } from '@svc-pay/core';

const CREATED_WITH = 'svc_created_with';

/** A secret key is not recorded: nobody sees more or less for it than where nothing is recorded. */
export function storedServiceMetadata({
  serviceMetadata,
  createdWith,
}: Pick<Intent, 'serviceMetadata' | 'createdWith'>): string {
  return JSON.stringify({ ...serviceMetadata, ...(isRecorded(createdWith) && { [CREATED_WITH]: createdWith }) });
}

export function readServiceMetadata({
  [CREATED_WITH]: createdWith,
  ...serviceMetadata
}: Intent['serviceMetadata']): Pick<Intent, 'serviceMetadata' | 'createdWith'> {
  return { serviceMetadata, createdWith: isRecorded(createdWith) ? createdWith : null };
}

const isRecorded = (createdWith: unknown) => createdWith === 'publishable' || createdWith === 'x402';
