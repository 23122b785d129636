import type { ReactNode } from 'react';

/** A page before somebody is signed in. */
export const Door = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <main className="grid min-h-dvh place-items-center px-4 py-10">
    <div className="w-full max-w-sm">
      <p className="mb-6 flex items-center gap-2.5 font-semibold">
        <img src="/live.svg" alt="" className="size-7" /> SVC Pay
      </p>
      <div className="card grid gap-5 p-6">
        <h1>{title}</h1>
        {children}
      </div>
    </div>
  </main>
);
