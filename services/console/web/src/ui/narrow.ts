import { useSyncExternalStore } from 'react';

const query = matchMedia('(width < 900px)');

const listen = (tell: () => void) => {
  query.addEventListener('change', tell);
  return () => query.removeEventListener('change', tell);
};

/** Whether rows have two lines, as the stylesheet says at the same width. */
export const useIsNarrow = (): boolean => useSyncExternalStore(listen, () => query.matches);
