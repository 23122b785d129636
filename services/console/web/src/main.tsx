import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { CallRefusal, isSignedOut } from './api/call.ts';
import { router } from './router.tsx';
import { applyLook, readLook } from './shell/look.ts';

applyLook(readLook());

const MAX_RETRIES = 2;
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, problem) => count < MAX_RETRIES && !(problem instanceof CallRefusal && problem.status < 500),
      staleTime: 5_000,
    },
  },
});
// A session that ended elsewhere takes with it what it had read. A role that was changed elsewhere is read again.
const afterRefusal = (problem: unknown) => {
  const isOver = isSignedOut(problem);
  if (!isOver && !(problem instanceof CallRefusal && problem.code === 'role_missing')) return;
  if (isOver) queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' });
  void queries.invalidateQueries({ queryKey: ['me'] });
};
queries.getQueryCache().subscribe((event) => {
  if (event.type === 'updated' && event.action.type === 'error' && event.query.queryKey[0] !== 'me')
    afterRefusal(event.query.state.error);
});
queries.getMutationCache().subscribe((event) => {
  if (event.type === 'updated' && event.action.type === 'error') afterRefusal(event.action.error);
});

// A page that the browser kept whole while the person was elsewhere shows what a session had read that may be over.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

const page = document.getElementById('page');
if (page === null) throw new Error('the page has no place for its content');
createRoot(page).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
